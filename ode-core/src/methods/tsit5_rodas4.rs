//! The lane program of [`Tsit5Rodas4`].

switching! {
    /// `Tsit5` while a trajectory is not stiff and `Rodas4` while it is, for loose tolerances.
    ///
    /// [`switching`](crate::step::switching) says how stiffness is detected. [`Auto`](crate::Auto)
    /// takes this pair or the other one by the tolerance.
    tsit5_rodas4::Tsit5Rodas4, kept 14,
    tsit5::Tsit5 keeps 7, stages [6, 7], stable 3.5068,
    rodas4::Rodas4 keeps 7
}

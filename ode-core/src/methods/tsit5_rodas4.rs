//! The lane program of [`Tsit5Rodas4`].

switching! {
    /// `Tsit5` for non-stiff trajectories and `Rodas4` for stiff ones, for loose tolerances.
    ///
    /// [`switching`](crate::step::switching) describes how stiffness is detected, within a
    /// trajectory. [`Auto`](crate::Auto) chooses this pair or the other one by the tolerance.
    tsit5_rodas4::Tsit5Rodas4, kept 14,
    tsit5::Tsit5 keeps 7, stages [6, 7], stable 3.5068,
    rodas4::Rodas4 keeps 7
}

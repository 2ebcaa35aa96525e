//! The lane program of [`Vern7Rodas5P`].

switching! {
    /// `Vern7` while a trajectory is not stiff and `Rodas5P` while it is, for tight tolerances.
    ///
    /// [`switching`](crate::step::switching) says how stiffness is detected. [`Auto`](crate::Auto)
    /// takes this pair or the other one by the tolerance.
    vern7_rodas5p::Vern7Rodas5P, kept 25,
    vern7::Vern7 keeps 16, stages [9, 10], stable 4.64,
    rodas5p::Rodas5P keeps 9
}

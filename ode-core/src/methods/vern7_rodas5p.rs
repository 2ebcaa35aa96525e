//! The lane program of [`Vern7Rodas5P`].

switching! {
    /// `Vern7` for non-stiff trajectories and `Rodas5P` for stiff ones, for tight tolerances.
    ///
    /// [`switching`](crate::step::switching) describes how stiffness is detected, within a
    /// trajectory. [`Auto`](crate::Auto) chooses this pair or the other one by the tolerance.
    vern7_rodas5p::Vern7Rodas5P, kept 25,
    vern7::Vern7 keeps 16, stages [9, 10], stable 4.64,
    rodas5p::Rodas5P keeps 9
}

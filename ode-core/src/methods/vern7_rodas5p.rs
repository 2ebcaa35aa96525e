//! Vern7 and Rodas5P, for tight tolerances: see [`auto`](super::auto).

switching! {
    /// The method: [`Vern7`](crate::methods::Vern7), and [`Rodas5P`](crate::methods::Rodas5P) where a
    /// trajectory is stiff.
    vern7_rodas5p::Vern7Rodas5P, kept 25,
    vern7::Vern7 keeps 16, stages [9, 10], stable 4.64,
    rodas5p::Rodas5P keeps 9
}

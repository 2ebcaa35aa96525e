//! Tsit5 and Rodas4, for loose tolerances: see [`auto`](super::auto).

switching! {
    /// The method: [`Tsit5`](crate::methods::Tsit5), and [`Rodas4`](crate::methods::Rodas4) where a
    /// trajectory is stiff.
    tsit5_rodas4::Tsit5Rodas4, kept 14,
    tsit5::Tsit5 keeps 7, stages [6, 7], stable 3.5068,
    rodas4::Rodas4 keeps 7
}

//! Schedules: when lanes take trajectories.

/// When a lane whose trajectory has ended takes the next one from the work queue.
///
/// The schedule affects the time of a solve, but no result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Schedule {
    /// The library's choice.
    ///
    /// For adaptive steps this is [`Refill`](Schedule::Refill), unless all trajectories run at
    /// once; otherwise it is [`Static`](Schedule::Static).
    #[default]
    Auto,
    /// A lane waits until all lanes of the same registers or warp have ended.
    ///
    /// Best if all trajectories take the same number of steps.
    Static,
    /// A lane takes the next trajectory as soon as it pays.
    ///
    /// While one lane takes a trajectory, the other lanes wait.
    Refill,
}

impl Schedule {
    /// Resolves `Auto` for the lanes of a CPU, which are always fewer than the trajectories.
    pub(super) fn of_lanes(self, adaptive: bool) -> Self {
        match self {
            Schedule::Auto if adaptive => Schedule::Refill,
            Schedule::Auto => Schedule::Static,
            chosen => chosen,
        }
    }
}

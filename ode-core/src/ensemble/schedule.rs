//! When lanes take trajectories.

/// When a lane whose trajectory has ended takes the next one from the work queue. It changes the
/// time of a solve, and no result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Schedule {
    /// The library's choice: [`Refill`](Schedule::Refill) for adaptive steps, unless all
    /// trajectories run at once, otherwise [`Static`](Schedule::Static).
    #[default]
    Auto,
    /// When all lanes of the same registers or warp have ended too. Best where all trajectories
    /// take equally many steps.
    Static,
    /// As soon as it pays: while one lane takes a trajectory, the lanes beside it wait.
    Refill,
}

impl Schedule {
    /// What `Auto` is for the lanes of a CPU, of which there are always fewer than trajectories.
    pub(super) fn of_lanes(self, adaptive: bool) -> Self {
        match self {
            Schedule::Auto if adaptive => Schedule::Refill,
            Schedule::Auto => Schedule::Static,
            chosen => chosen,
        }
    }
}

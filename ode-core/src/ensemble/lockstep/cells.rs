//! The memory of the members of a chunk between steps.

use crate::ensemble::lockstep::norm::{TOGETHER, sum_of_neighbours};
use crate::integrate::armed::{Armed, Occurred};
use crate::integrate::members::{self, Group, Tried};
use crate::lane::{Bits, Mask, Real, Scalar};
use ode_macros::inlined;

/// The state of the members in the lanes of one group.
#[derive(Clone, Copy, Debug)]
struct Cell<R: Real, const N: usize, const P: usize> {
    /// States and derivatives at the two ends of the attempted step.
    ///
    /// The lockstep loop keeps the index of the end that is the beginning.
    ends: [([R; N], [R; N]); 2],
    p: [R; P],
    /// A bit for each lane.
    goes: u64,
    mirrored: u64,
    /// Bits as a number of the lanes' type, which is `Send`.
    code: R,
    /// The squared scaled error of the last attempt.
    square: R,
    /// The greatest squared scaled error of accepted steps.
    worst: R,
}

/// The events of the members in the lanes of one group.
///
/// Sets of events are stored as numbers, and masks as a bit for each lane.
#[derive(Clone, Copy, Debug)]
struct Watched<R: Real> {
    /// The known sides, and the events with a known side, at the two ends of the attempted step.
    ends: [[R; 2]; 2],
    acted: R,
    chain: R,
    /// The events that acted last.
    fired: R,
    /// The size of the step to the first event.
    size: R,
    /// The first event, the events at the end of the step, and the conditions there.
    step: [R; 4],
    holds: u64,
    broken: u64,
}

/// The members of a chunk, group by group.
#[derive(Debug)]
pub(super) struct Cells<R: Real, const N: usize, const P: usize> {
    cells: Vec<Cell<R, N, P>>,
    /// One element for each group, in systems with events or conditions.
    watched: Vec<Watched<R>>,
    /// The events of the attempted step for each lane of each group, as `AttemptIo` counts them.
    counted: Vec<u64>,
}

impl<R: Real<Scalar = T>, T: Scalar, const N: usize, const P: usize> Cells<R, N, P> {
    /// Reserves memory for `n` members; `None` if memory is exhausted.
    ///
    /// `watches`: the system has events or conditions.
    pub(super) fn new(n: usize, watches: bool) -> Option<Self> {
        let groups = n.div_ceil(R::LANES);
        let watched_groups = if watches { groups } else { 0 };
        let mut cells = Vec::new();
        cells.try_reserve_exact(groups).ok()?;
        let Group { u, du, p, goes, mirrored, code, .. } = members::blank::<R, N, P>();
        let zero = R::lit(0.0);
        let (mut watched, mut counted) = (Vec::new(), Vec::new());
        watched.try_reserve_exact(watched_groups).ok()?;
        counted.try_reserve_exact(watched_groups * R::LANES).ok()?;
        let none = R::from_bits(<R::Bits as Bits>::lit(0));
        let quiet = Watched {
            ends: [[none; 2]; 2],
            acted: zero,
            chain: none,
            fired: none,
            size: zero,
            step: [none; 4],
            holds: 0,
            broken: 0,
        };
        watched.resize(watched_groups, quiet);
        counted.resize(watched_groups * R::LANES, 0);
        let (ends, code) = ([(u, du); 2], R::from_bits(code));
        let (goes, mirrored) = (goes.to_bitmask(), mirrored.to_bitmask());
        let blank = Cell { ends, p, goes, mirrored, code, square: zero, worst: zero };
        cells.resize(groups, blank);
        Some(Cells { cells, watched, counted })
    }

    /// Returns the memory of `n` members, in bytes.
    pub(super) fn bytes(n: usize, watches: bool) -> usize {
        let events =
            if watches { size_of::<Watched<R>>() + R::LANES * size_of::<u64>() } else { 0 };
        n.div_ceil(R::LANES).saturating_mul(size_of::<Cell<R, N, P>>() + events)
    }

    #[inlined]
    pub(super) fn groups(&self) -> usize {
        self.cells.len()
    }

    /// Returns the members of group `g`, with the states of end `now`.
    #[inlined]
    pub(super) fn get(&self, g: usize, now: usize) -> Group<R, N, P> {
        let Cell { ends, p, goes, mirrored, code, .. } = &self.cells[g];
        let (u, du) = ends[now];
        let (goes, mirrored) = (R::Mask::from_bitmask(*goes), R::Mask::from_bitmask(*mirrored));
        let blank = members::blank::<R, N, P>();
        let group = Group { u, du, p: *p, goes, mirrored, code: code.to_bits(), ..blank };
        let Some(watched) = self.watched.get(g) else { return group };
        let [sides, known] = watched.ends[now].map(R::to_bits);
        let (chain, fired) = (watched.chain.to_bits(), watched.fired.to_bits());
        let armed = Armed { sides, known, acted: watched.acted, chain, fired };
        let [event, fired, here, held] = watched.step.map(R::to_bits);
        let holds = R::Mask::from_bitmask(watched.holds);
        let broken = R::Mask::from_bitmask(watched.broken);
        let [sides, known] = watched.ends[1 - now].map(R::to_bits);
        let size = watched.size;
        let occurred = Occurred { sides, known, event, size, fired, here, held, holds, broken };
        Group { armed, occurred, ..group }
    }

    /// Returns whether members of a group continue.
    #[inlined]
    pub(super) fn goes(&self, g: usize) -> R::Mask {
        R::Mask::from_bitmask(self.cells[g].goes)
    }

    /// Returns whether the last attempt of a group has events or conditions that hold.
    #[inlined]
    pub(super) fn happens(&self, g: usize) -> bool {
        self.watched.get(g).is_some_and(|watched| {
            let [_, fired, ..] = watched.step.map(R::to_bits);
            let fires = !fired.equals(<R::Bits as Bits>::lit(0));
            fires.any() || watched.holds | watched.broken != 0
        }) || self.counted(g).iter().any(|&counted| counted != 0)
    }

    /// Returns the range of a group's lanes among those of all groups.
    #[inlined]
    fn lanes(&self, g: usize) -> core::ops::Range<usize> {
        let lanes = if self.counted.is_empty() { 0 } else { R::LANES };
        g * lanes..(g + 1) * lanes
    }

    /// Returns the delayed counts of a group.
    #[inlined]
    pub(super) fn counted(&self, g: usize) -> &[u64] {
        &self.counted[self.lanes(g)]
    }

    /// Returns the delayed counts of a group, which are reset to zero.
    #[inlined]
    pub(super) fn new_counts(&mut self, g: usize) -> &mut [u64] {
        let lanes = self.lanes(g);
        let counted = &mut self.counted[lanes];
        counted.fill(0);
        counted
    }

    /// Stores the members of a group.
    ///
    /// `accepted`: whether the last attempt was accepted.
    #[inlined]
    pub(super) fn put(&mut self, g: usize, now: usize, group: &Group<R, N, P>, accepted: bool) {
        let cell = &mut self.cells[g];
        if accepted {
            cell.worst = cell.worst.max(cell.square);
        }
        cell.square = R::lit(0.0);
        self.put_acted(g, now, group);
    }

    /// Stores the members of a group after actions, which keep the errors of the last attempt.
    #[inlined]
    pub(super) fn put_acted(&mut self, g: usize, now: usize, group: &Group<R, N, P>) {
        let cell = &mut self.cells[g];
        cell.ends[now] = (group.u, group.du);
        cell.p = group.p;
        cell.goes = group.goes.to_bitmask();
        cell.mirrored = group.mirrored.to_bitmask();
        cell.code = R::from_bits(group.code);
        if let Some(watched) = self.watched.get_mut(g) {
            let Armed { sides, known, acted, chain, fired } = group.armed;
            watched.ends[now] = [sides, known].map(R::from_bits);
            watched.acted = acted;
            [watched.chain, watched.fired] = [chain, fired].map(R::from_bits);
        }
    }

    /// Stores the result of an attempt of a group.
    ///
    /// `accepted`: whether the attempt before it was accepted; `keeps_du`: whether the derivatives
    /// are needed.
    #[inlined]
    pub(super) fn keep(
        &mut self,
        g: usize,
        now: usize,
        tried: &Tried<R, N>,
        accepted: bool,
        keeps_du: bool,
    ) {
        let cell = &mut self.cells[g];
        cell.ends[1 - now].0 = tried.u;
        if keeps_du {
            cell.ends[1 - now].1 = tried.du;
        }
        if accepted {
            cell.worst = cell.worst.max(cell.square);
        }
        cell.square = tried.square;
        cell.code = R::from_bits(tried.code);
        if let Some(watched) = self.watched.get_mut(g) {
            let occurred = &tried.occurred;
            watched.ends[1 - now] = [occurred.sides, occurred.known].map(R::from_bits);
            watched.size = occurred.size;
            let Occurred { event, fired, here, held, .. } = *occurred;
            watched.step = [event, fired, here, held].map(R::from_bits);
            watched.holds = occurred.holds.to_bitmask();
            watched.broken = occurred.broken.to_bitmask();
        }
    }

    /// Returns the squared scaled errors of the last attempt of a group.
    #[inlined]
    pub(super) fn square(&self, g: usize) -> R {
        self.cells[g].square
    }

    /// Returns the new states of the last attempt of a group.
    #[inlined]
    pub(super) fn new_states(&self, g: usize, now: usize) -> [R; N] {
        self.cells[g].ends[1 - now].0
    }

    /// Computes the sum of squared errors of each [`TOGETHER`] consecutive members.
    ///
    /// No chunk boundary cuts such a run of members.
    #[inlined]
    pub(super) fn sums(&self, sums: &mut Vec<f64>) {
        sums.clear();
        let groups = (TOGETHER / R::LANES).max(1);
        for cells in self.cells.chunks(groups) {
            let mut some = [T::default(); TOGETHER];
            for (g, cell) in cells.iter().enumerate() {
                for lane in 0..R::LANES {
                    some[g * R::LANES + lane] = cell.square.lane(lane);
                }
            }
            sums.push(sum_of_neighbours(&mut some).widen());
        }
    }

    /// Returns the number of members that continue.
    #[inlined]
    pub(super) fn count(&self) -> usize {
        self.cells.iter().map(|cell| cell.goes.count_ones() as usize).sum()
    }

    /// Returns the member with the greatest error of accepted steps, and this error squared.
    ///
    /// Of several with the same error, it is the first.
    #[inlined]
    pub(super) fn worst(&self, accepted: bool) -> (usize, T) {
        let mut worst = (0, T::default());
        for (g, cell) in self.cells.iter().enumerate() {
            let all = if accepted { cell.worst.max(cell.square) } else { cell.worst };
            for lane in 0..R::LANES {
                if all.lane(lane) > worst.1 {
                    worst = (g * R::LANES + lane, all.lane(lane));
                }
            }
        }
        worst
    }
}

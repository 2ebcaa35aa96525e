//! The memory of the members of a chunk between steps.

use crate::ensemble::lockstep::norm::{TOGETHER, sum_of_neighbours};
use crate::integrate::members::{self, Group, Tried};
use crate::lane::{Mask, Real, Scalar};
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

/// The members of a chunk, group by group.
#[derive(Debug)]
pub(super) struct Cells<R: Real, const N: usize, const P: usize> {
    cells: Vec<Cell<R, N, P>>,
}

impl<R: Real<Scalar = T>, T: Scalar, const N: usize, const P: usize> Cells<R, N, P> {
    /// Reserves memory for `n` members; `None` if memory is exhausted.
    pub(super) fn new(n: usize) -> Option<Self> {
        let groups = n.div_ceil(R::LANES);
        let mut cells = Vec::new();
        cells.try_reserve_exact(groups).ok()?;
        let Group { u, du, p, goes, mirrored, code } = members::blank::<R, N, P>();
        let zero = R::lit(0.0);
        let (ends, code) = ([(u, du); 2], R::from_bits(code));
        let (goes, mirrored) = (goes.to_bitmask(), mirrored.to_bitmask());
        let blank = Cell { ends, p, goes, mirrored, code, square: zero, worst: zero };
        cells.resize(groups, blank);
        Some(Cells { cells })
    }

    /// Returns the memory of `n` members, in bytes.
    pub(super) fn bytes(n: usize) -> usize {
        n.div_ceil(R::LANES).saturating_mul(size_of::<Cell<R, N, P>>())
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
        Group { u, du, p: *p, goes, mirrored, code: code.to_bits() }
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
        cell.ends[now] = (group.u, group.du);
        cell.p = group.p;
        cell.goes = group.goes.to_bitmask();
        cell.mirrored = group.mirrored.to_bitmask();
        cell.code = R::from_bits(group.code);
        cell.square = R::lit(0.0);
    }

    /// Stores the result of an attempt of a group.
    ///
    /// `accepted`: whether the attempt before it was accepted; `fsal`: whether the derivatives are
    /// needed.
    #[inlined]
    pub(super) fn keep(
        &mut self,
        g: usize,
        now: usize,
        tried: &Tried<R, N>,
        accepted: bool,
        fsal: bool,
    ) {
        let cell = &mut self.cells[g];
        cell.ends[1 - now].0 = tried.u;
        if fsal {
            cell.ends[1 - now].1 = tried.du;
        }
        if accepted {
            cell.worst = cell.worst.max(cell.square);
        }
        cell.square = tried.square;
        cell.code = R::from_bits(tried.code);
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

//! Adaptive steps of stochastic equations: the nodes of binary trees of time.
//!
//! A span, or a segment of it, is divided into cells of equal length. A step is a node of a cell's
//! tree: the cell, one of its halves, and so on. Time is the number of the cell and the number of
//! the node, so it has no drift, and the path of the noise has increments of each node
//! ([`brownian`](crate::random::brownian)).
//!
//! After an accepted step, the next one begins at its end. It is twice as long if errors allow it
//! and a longer node begins there. A rejected step is replaced by the first of its halves, quarters
//! or eighths: the controller's factor is rounded down to a power of two. So each step that was
//! tried ends where a later step ends, and no increment is drawn a second time. Without both, a
//! method would converge to a wrong limit if it does not use the areas between pairs of processes:
//! J. G. Gaines, T. J. Lyons, *Variable step size control in the numerical solution of stochastic
//! differential equations* (SIAM Journal on Applied Mathematics 57, 1997); J. Foster, A. Jelinčič,
//! *On the convergence of adaptive approximations for stochastic differential equations*
//! (arXiv:2311.14201).
//!
//! The error of one step does not decide whether the next one is longer. It is a random number, and
//! small by chance in a part of all steps, however long they are. These steps would be most of the
//! error of a solution. So the mean square of recent errors decides, and the first step is short.
//!
//! The last step of a segment may end within its node, by the conditional law of the path. The
//! next segment begins with the next cell. Cells of a segment do not depend on errors, so neither
//! does the path.

pub use device::*;

// The choice of a node depends on this many quantities.
#[allow(clippy::too_many_arguments)]
#[ode_macros::device(dyadic)]
mod device {
    use crate::integrate::lane;
    use crate::integrate::options;
    use crate::lane::{Bits, Mask, Real};
    use crate::random::path;
    use crate::step::timeline;

    /// The first node of the last level of steps: a cell is halved 22 times at most.
    ///
    /// In `f32` the numbers of nodes are numbers of lanes ([`timeline::MAX_WHOLE_SINGLE`]).
    pub const FIRST_OF_LAST: u64 = 4194304;
    /// The length of these nodes, as a part of a cell.
    pub const LEAST: f64 = 2.384185791015625e-7;
    /// The ratio of the length of a cell to that of the span, unless the options contain a cell.
    pub const PART: f64 = 0.0625;

    /// The length of the first step, as a part of a cell, unless the options contain one.
    pub const FIRST: f64 = 0.015625;
    /// The weight of a step's squared error in the mean square, after the first steps.
    pub const WEIGHT: f64 = 0.25;
    /// The ratio of the mean squares of steps and of steps half as long, `2^3`.
    ///
    /// It is that of methods with estimates of order 3/2.
    pub const RATIO: f64 = 8.0;
    /// The largest mean square that steps of twice the length may have, in tolerances.
    ///
    /// Of normal errors with this mean square, 5% exceed the tolerance.
    pub const MOST: f64 = 0.25;
    /// The largest squared error that counts.
    pub const MOST_SQUARE: f64 = 1e6;

    /// Sets the cells and the first node of lanes that begin.
    ///
    /// Lanes `fresh` begin a trajectory, which ends at `end`. Others of `begins` begin a segment,
    /// and continue with their step size.
    pub fn begin<R: Real, const N: usize>(
        o: &options::Options<R, N>,
        lane: &mut lane::Lane<R>,
        fresh: R::Mask,
        begins: R::Mask,
        end: R,
    ) {
        let none = <R::Bits as Bits>::lit(0);
        let span = end - lane.t0;
        let automatic = o.dt.equals(R::lit(0.0));
        let mut size = R::select(automatic, span * R::lit(PART * FIRST), o.dt.abs());
        let mut cell = R::select(automatic, span * R::lit(PART), size);
        let mut level: u32 = 0;
        while level < o.noise_levels {
            cell = cell + cell;
            level += 1;
        }
        if o.limited {
            let mut short = o.dtmin.ge(size) & cell.gt(size);
            while short.any() {
                size = R::select(short, size + size, size);
                short = o.dtmin.ge(size) & cell.gt(size);
            }
            let least = cell * R::lit(LEAST);
            let mut long = size.gt(o.dtmax) & size.gt(least);
            while long.any() {
                size = R::select(long, size * R::lit(0.5), size);
                long = size.gt(o.dtmax) & size.gt(least);
            }
        }
        lane.dt = R::select(fresh, cell, lane.dt);
        lane.size = R::select(fresh, size, lane.size);
        lane.errors = R::select(fresh, R::lit(0.0), lane.errors);
        lane.weight = R::select(fresh, R::lit(1.0), lane.weight);
        lane.cell = <R::Bits as Bits>::select(fresh, none, lane.cell);
        lane.first_cell = <R::Bits as Bits>::select(begins, lane.cell, lane.first_cell);
        let first = timeline::whole_to_bits(lane.dt / lane.size);
        lane.node = <R::Bits as Bits>::select(begins, first, lane.node);
        lane.begun = lane.begun | begins;
        let plan = timeline::plan(lane.t0, R::lit(0.0), lane.size, R::lit(1.0));
        lane.plan = R::select(begins, plan, lane.plan);
    }

    /// Returns the time at the end of the node.
    pub fn end<R: Real>(lane: &lane::Lane<R>) -> timeline::Time<R> {
        let one = <R::Bits as Bits>::lit(1);
        let cells = timeline::whole_from_bits::<R>(lane.cell.wrapping_sub(lane.first_cell));
        let start = timeline::grid(lane.t0, cells, lane.dt);
        // Node `n` of length `h` ends `(n + 1) h - c` after the beginning of a cell of length `c`.
        let next = timeline::whole_from_bits::<R>(lane.node.wrapping_add(one));
        let within = next.mul_add(lane.size, -lane.dt);
        timeline::after(start.t, timeline::plan(start.t, start.low, within, R::lit(1.0)))
    }

    /// Returns the interval of the next step on the path of the noise.
    pub fn path_of<R: Real, const N: usize>(
        o: &options::Options<R, N>,
        lane: &lane::Lane<R>,
    ) -> path::Path<R> {
        path::on_node::<R>(o.noise_seed, lane.number, lane.cell, lane.node, lane.size)
    }

    /// Chooses the next node, after a step of size `h`.
    ///
    /// `square` is the squared error in tolerances, and `factor` the ratio of the next size to `h`
    /// that it allows. Lanes `moves` accepted the step, lanes `done` among them reached the end of
    /// their segment, and lanes `failing` rejected the step. Returns the lanes with a next step
    /// below the smallest one.
    pub fn choose<R: Real, const N: usize>(
        o: &options::Options<R, N>,
        lane: &mut lane::Lane<R>,
        h: R,
        square: R,
        factor: R,
        moves: R::Mask,
        done: R::Mask,
        failing: R::Mask,
    ) -> R::Mask {
        let one = <R::Bits as Bits>::lit(1);
        let none = <R::Bits as Bits>::lit(0);
        let half = R::lit(0.5);
        let last = <R::Bits as Bits>::lit(FIRST_OF_LAST);
        let divisible = lane.node.less_than(last);
        let mut small = failing & !divisible;

        // The next node of the same length.
        let next = lane.node.wrapping_add(one);
        let over = (next & lane.node).equals(none);
        let next = <R::Bits as Bits>::select(over, next.shr::<1>(), next);
        let cell = lane.cell.wrapping_add(one);
        let cell = <R::Bits as Bits>::select(over | done, cell, lane.cell);
        lane.cell = <R::Bits as Bits>::select(moves, cell, lane.cell);
        lane.node = <R::Bits as Bits>::select(moves, next, lane.node);
        lane.moved = lane.moved | moves;
        let goes_on = moves & !done;
        let is_first = (next & one).equals(none);
        let mean = lane.weight.mul_add(square - lane.errors, lane.errors);
        lane.errors = R::select(moves, mean, lane.errors);
        // The first weights, 1, 1/2, 1/3, …, give the mean of all errors.
        let weight = lane.weight / (lane.weight + R::lit(1.0));
        lane.weight = R::select(moves | failing, weight.max(R::lit(WEIGHT)), lane.weight);
        let ratio = R::lit(RATIO);
        let mut longer = goes_on & is_first & (lane.errors * ratio).le(R::lit(MOST));
        if o.limited {
            longer = longer & (lane.size + lane.size).le(o.dtmax);
        }
        lane.node = <R::Bits as Bits>::select(longer, next.shr::<1>(), lane.node);
        lane.size = R::select(longer, lane.size + lane.size, lane.size);
        lane.errors = R::select(longer, lane.errors * ratio, lane.errors);

        // The first part of the same node. A step that ended within its node was shorter than it.
        let allowed = h * factor;
        let large = R::lit(MOST_SQUARE);
        let square = R::select(square.lt(large), square, large);
        lane.errors = R::select(failing, square, lane.errors);
        let mut long = failing & lane.size.gt(allowed) & lane.node.less_than(last);
        while long.any() {
            lane.node = <R::Bits as Bits>::select(long, lane.node.shl::<1>(), lane.node);
            lane.size = R::select(long, lane.size * half, lane.size);
            lane.errors = R::select(long, lane.errors * R::lit(1.0 / RATIO), lane.errors);
            long = failing & lane.size.gt(allowed) & lane.node.less_than(last);
        }
        if o.limited {
            small = small | ((goes_on | failing) & lane.size.le(o.dtmin));
        }
        small
    }
}

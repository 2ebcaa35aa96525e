//! The numbers of nodes in the order of time, for adaptive steps.
//!
//! [`brownian`](super::brownian) defines the numbers of a node by those of the node above it. A
//! lane stores the numbers of its node and of the nodes that follow, so it does not begin at the
//! cell for each step. The nodes that follow cover the time after the node without gaps, and are
//! as long as possible at first: the right halves of the nodes that contain the lane's node.
//!
//! In each iteration of the loop, each lane divides one node, or draws the numbers of one cell.
//! This is the mean number of divisions for each step, but the numbers of some nodes need several
//! divisions. Two rules balance them without a loop, in which all lanes would wait for the one
//! with the most divisions:
//!
//! * If a lane has the numbers of its node, it divides a following node that is too long for the
//!   next steps.
//! * If a lane needs more divisions, its next step waits.
//!
//! A step may be twice as long as the one before if a longer node begins there. A following node
//! is divided only if the next steps cannot be that long, so no division is undone.
//!
//! A lane stores [`KEPT`] following nodes. If there are more, the last of them are forgotten, and
//! their time begins with the numbers of the cell again.

pub use device::*;

#[ode_macros::device(nodes)]
mod device {
    use crate::lane::{Bits, Mask, Real};
    use crate::math::whole;
    use crate::random::{brownian, path};

    /// The number of following nodes that a lane stores.
    pub const KEPT: usize = 6;

    /// The number of following nodes that a lane may divide.
    pub const AHEAD: usize = 3;
    /// The units of their levels, and the bits below them.
    const UNITS: [u64; 3] = [1, 32, 1024];
    const BELOW: [u64; 4] = [0, 31, 1023, 32767];

    /// The level of a node without numbers; cells have level 0, and their halves level 1.
    const NONE: u64 = 31;
    /// The levels of no nodes.
    const ALL_NONE: u64 = 1073741823;
    /// [`NONE`] as the level of the last following node.
    const LAST_NONE: u64 = 1040187392;

    /// The numbers of nodes of `K` processes.
    #[derive(Clone, Copy, Debug)]
    pub struct Nodes<R: Real, const K: usize> {
        /// The increments `W` and areas `H` of the lane's node, or of a node above it.
        pub here: [[R; K]; 2],
        /// The level of that node.
        pub level: R::Bits,
        /// The increments and areas of the following nodes.
        pub next: [[[R; K]; 2]; KEPT],
        /// The levels of these nodes, in 5 bits each.
        pub levels: R::Bits,
        /// The standard deviations of the increment and the area of a cell, then of its half.
        pub spreads: [[R; 2]; 2],
    }

    /// Returns no nodes.
    pub fn nodes<R: Real, const K: usize>() -> Nodes<R, K> {
        let zero = R::lit(0.0);
        Nodes::<R, K> {
            here: [[zero; K]; 2],
            level: <R::Bits as Bits>::lit(NONE),
            next: [[[zero; K]; 2]; KEPT],
            levels: <R::Bits as Bits>::lit(ALL_NONE),
            spreads: [[zero; 2]; 2],
        }
    }

    /// Forgets the nodes of lanes `begins`, in which the first cell of a segment begins.
    ///
    /// `length` is the length of a cell.
    fn begin<R: Real, const K: usize>(nodes: &mut Nodes<R, K>, length: R, begins: R::Mask) {
        let none = <R::Bits as Bits>::lit(NONE);
        let all = <R::Bits as Bits>::lit(ALL_NONE);
        nodes.level = <R::Bits as Bits>::select(begins, none, nodes.level);
        nodes.levels = <R::Bits as Bits>::select(begins, all, nodes.levels);
        let mut length = length;
        for half in 0..2 {
            let sd = length.sqrt();
            let sd_of_area = (length * R::lit(1.0 / 12.0)).sqrt();
            nodes.spreads[half][0] = R::select(begins, sd, nodes.spreads[half][0]);
            nodes.spreads[half][1] = R::select(begins, sd_of_area, nodes.spreads[half][1]);
            length = length * R::lit(0.5);
        }
    }

    /// Takes the first following node as the lane's node, in lanes `moved`.
    fn take<R: Real, const K: usize>(nodes: &mut Nodes<R, K>, moved: R::Mask) {
        let first = nodes.levels & <R::Bits as Bits>::lit(NONE);
        let rest = nodes.levels.shr::<5>() | <R::Bits as Bits>::lit(LAST_NONE);
        nodes.level = <R::Bits as Bits>::select(moved, first, nodes.level);
        nodes.levels = <R::Bits as Bits>::select(moved, rest, nodes.levels);
        for i in 0..2 {
            for j in 0..K {
                nodes.here[i][j] = R::select(moved, nodes.next[0][i][j], nodes.here[i][j]);
                for e in 0..KEPT - 1 {
                    let later = nodes.next[e + 1][i][j];
                    nodes.next[e][i][j] = R::select(moved, later, nodes.next[e][i][j]);
                }
            }
        }
    }

    /// Divides a node in each lane, or draws the numbers of a cell.
    ///
    /// `path` is the interval of the lane's node, and `length` the length of a cell. Since the last
    /// call, lanes `moved` made the step of their node, and lanes `begins` began a segment. Returns
    /// the lanes that have the numbers of their node.
    pub fn approach<R: Real, const K: usize>(
        nodes: &mut Nodes<R, K>,
        path: &path::Path<R>,
        length: R,
        moved: R::Mask,
        begins: R::Mask,
    ) -> R::Mask {
        if begins.any() {
            begin::<R, K>(nodes, length, begins);
        }
        take::<R, K>(nodes, moved & !begins);

        let none = <R::Bits as Bits>::lit(NONE);
        let zero = <R::Bits as Bits>::lit(0);
        let one = <R::Bits as Bits>::lit(1);
        let level = whole::exponent::<R>(whole::from_bits::<R>(path.node));
        let ready = nodes.level.equals(level);
        // The node to divide: the one that contains the lane's node, or a following one.
        let mut draws = nodes.level.equals(none);
        let mut from = <R::Bits as Bits>::select(draws, zero, nodes.level);
        let mut place =
            whole::from_bits::<R>(path.node) * whole::part::<R>(level.wrapping_sub(from));
        let mut cell = path.step;
        let mut chosen = [<R::Mask as Mask>::splat(false); AHEAD];
        let mut looks = ready;
        let mut end = path.node;
        let mut end_level = level;
        let mut end_cell = path.step;
        let mut levels = nodes.levels;
        for e in 0..AHEAD {
            let next = following::<R>(end, end_level, levels & none);
            end_cell = <R::Bits as Bits>::select(next.over, end_cell.wrapping_add(one), end_cell);
            chosen[e] = looks & (next.draws | next.long);
            draws = (chosen[e] & next.draws) | (!chosen[e] & draws);
            from = <R::Bits as Bits>::select(chosen[e], next.level, from);
            place = R::select(chosen[e], next.place, place);
            cell = <R::Bits as Bits>::select(chosen[e], end_cell, cell);
            looks = looks & !chosen[e];
            end = whole::to_bits::<R>(next.place.floor());
            end_level = next.level;
            levels = levels.shr::<5>();
        }
        let works = !looks;

        let number = place.floor();
        let to_right = (place - number).ge(R::lit(0.5));
        let number = whole::to_bits::<R>(number);
        let number = <R::Bits as Bits>::select(draws, zero, number);
        let purpose = <R::Bits as Bits>::lit(brownian::OF_NODES);
        let normals = brownian::numbers::<R, K>(path, cell, number, purpose, true);

        // The standard deviations of a node of half the length are the halves of these two levels
        // above.
        let even = (from & one).equals(zero);
        let scale = whole::part::<R>(from.shr::<1>());
        let sd = R::select(even, nodes.spreads[0][0], nodes.spreads[1][0]) * scale;
        let sd_of_area = R::select(even, nodes.spreads[0][1], nodes.spreads[1][1]) * scale;

        // The right half follows the left half: at the first place, or after a following node.
        let adds = works & !draws & !to_right;
        let first = adds & !ready;
        let mut later = first;
        let mut put = [first; KEPT];
        let mut shifts = [adds; KEPT];
        for e in 0..AHEAD {
            put[e + 1] = adds & chosen[e];
            shifts[e + 1] = later;
            later = later | put[e + 1];
        }
        for j in 0..K {
            let mut w = nodes.here[0][j];
            let mut h = nodes.here[1][j];
            for e in 0..AHEAD {
                w = R::select(chosen[e], nodes.next[e][0][j], w);
                h = R::select(chosen[e], nodes.next[e][1][j], h);
            }
            let of_cell = [sd * normals[0][j], sd_of_area * normals[1][j]];
            let z = R::lit(0.25) * of_cell[0];
            let n = R::lit(0.5) * of_cell[1];
            let halves = brownian::halved::<R>(w, h, z, n);
            for i in 0..2 {
                let half = R::select(to_right, halves[i + 2], halves[i]);
                let made = R::select(draws, of_cell[i], half);
                for e in 0..KEPT {
                    let place = KEPT - 1 - e;
                    let mut value = nodes.next[place][i][j];
                    if place < AHEAD {
                        value = R::select(chosen[place], made, value);
                    }
                    if place > 0 {
                        value = R::select(shifts[place], nodes.next[place - 1][i][j], value);
                    }
                    if place <= AHEAD {
                        value = R::select(put[place], halves[i + 2], value);
                    }
                    nodes.next[place][i][j] = value;
                }
                nodes.here[i][j] = R::select(ready, nodes.here[i][j], made);
            }
        }
        let reached = from.wrapping_add(one);
        let reached = <R::Bits as Bits>::select(draws, zero, reached);
        nodes.levels = inserted::<R>(nodes.levels, reached, &chosen, adds, first);
        nodes.level = <R::Bits as Bits>::select(ready, nodes.level, reached);
        nodes.level.equals(level)
    }

    /// A following node.
    #[derive(Clone, Copy, Debug)]
    pub struct Following<R: Real> {
        /// Whether it begins a cell.
        pub over: R::Mask,
        /// Whether it has no numbers yet.
        pub draws: R::Mask,
        /// Whether it is longer than the steps that may begin there.
        pub long: R::Mask,
        /// Its level.
        pub level: R::Bits,
        /// Its beginning: the number of the node, and the fraction of the node.
        ///
        /// The fraction is zero unless numbers were forgotten.
        pub place: R,
    }

    /// Returns the node after node `end` of level `end_level`.
    ///
    /// `stored` is its level, or [`NONE`].
    fn following<R: Real>(end: R::Bits, end_level: R::Bits, stored: R::Bits) -> Following<R> {
        let one = <R::Bits as Bits>::lit(1);
        let zero = <R::Bits as Bits>::lit(0);
        let after = end.wrapping_add(one);
        let over = (after & end).equals(zero);
        let after = <R::Bits as Bits>::select(over, after.shr::<1>(), after);
        let draws = stored.equals(<R::Bits as Bits>::lit(NONE));
        let level = <R::Bits as Bits>::select(draws, zero, stored);
        // The step after the right half of a node may be twice as long.
        let long = stored.wrapping_add(end & one).less_than(end_level);
        let part = whole::part::<R>(end_level.wrapping_sub(level));
        let place = whole::from_bits::<R>(after) * part;
        Following::<R> { over, draws, long, level, place }
    }

    /// Returns the levels of the following nodes after a division.
    ///
    /// The halves have the level `reached`. If `adds`, the right half is stored too: at the `first`
    /// place, or after the node that was `chosen`.
    fn inserted<R: Real>(
        levels: R::Bits,
        reached: R::Bits,
        chosen: &[R::Mask; AHEAD],
        adds: R::Mask,
        first: R::Mask,
    ) -> R::Bits {
        let all = <R::Bits as Bits>::lit(ALL_NONE);
        let mut out = levels;
        for e in 0..AHEAD {
            let below = levels & <R::Bits as Bits>::lit(BELOW[e]);
            let above = levels & !<R::Bits as Bits>::lit(BELOW[e + 1]);
            let here = reached.mul_low(<R::Bits as Bits>::lit(UNITS[e]));
            let both = (above.shl::<5>() & all) | here.shl::<5>();
            let rest = <R::Bits as Bits>::select(adds, both, above);
            out = <R::Bits as Bits>::select(chosen[e], (below | here) | rest, out);
        }
        let before = (levels.shl::<5>() & all) | reached;
        <R::Bits as Bits>::select(first, before, out)
    }

    /// Returns the increments and areas over an interval that begins with the lane's node.
    pub fn on_node<R: Real, const K: usize>(
        nodes: &Nodes<R, K>,
        path: &path::Path<R>,
    ) -> [[R; K]; 2] {
        let mut out = nodes.here;
        if path.ends_within.any() {
            let cut = brownian::beginning::<R, K>(path, path.step, path.node, &out);
            for i in 0..2 {
                for j in 0..K {
                    out[i][j] = R::select(path.ends_within, cut[i][j], out[i][j]);
                }
            }
        }
        out
    }
}

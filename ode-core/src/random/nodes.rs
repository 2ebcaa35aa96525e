//! The numbers of nodes in the order of time, for adaptive steps.
//!
//! [`brownian`](super::brownian) defines the numbers of a node by those of the node above it. A
//! lane stores the numbers of its node and of the nodes that follow, so it does not begin at the
//! cell for each step. The nodes that follow cover the time after the node without gaps, and are
//! as long as possible at first: the right halves of the nodes that contain the lane's node.
//!
//! In each iteration of the loop, each lane divides one node, or draws the numbers of one cell.
//! This is the mean number of divisions for each step, but the numbers of some nodes need several
//! divisions. Two rules balance them without a loop, because all lanes would wait there for the lane
//! with the most divisions:
//!
//! * If a lane has the numbers of its node, it divides the first following node, unless that node
//!   may be a step.
//! * If a lane needs more divisions, its next step waits.
//!
//! So there are 1.25 iterations for each step. If lanes also divided the second and third following
//! node, there would be 1.12. That was measured on a CPU: each iteration took a fifth longer.
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

    /// Forgets the nodes of lanes `begins`: there the first cell of a segment begins.
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

        let one = <R::Bits as Bits>::lit(1);
        let zero = <R::Bits as Bits>::lit(0);
        let none = <R::Bits as Bits>::lit(NONE);
        // The lane's node, the node of the same length after it, and their level.
        let node = path.node;
        let after = node.wrapping_add(one);
        let over = (after & node).equals(zero);
        let after = <R::Bits as Bits>::select(over, after.shr::<1>(), after);
        let level = whole::exponent::<R>(whole::from_bits::<R>(node));

        // The node to divide, which contains the lane's node or begins the time after it.
        let ready = nodes.level.equals(level);
        let goal = <R::Bits as Bits>::select(ready, after, node);
        let first = nodes.levels & none;
        let from = <R::Bits as Bits>::select(ready, first, nodes.level);
        let draws = from.equals(none);
        let up = <R::Bits as Bits>::select(draws, zero, from);
        let later = path.step.wrapping_add(one);
        let cell = <R::Bits as Bits>::select(ready & over, later, path.step);
        // The step after the right half of a node may be twice as long.
        let long = from.wrapping_add(node & one).less_than(level);
        let works = !ready | draws | long;

        // The goal as a fraction of that level's nodes: its whole part is the number of the node.
        let distance = whole::part::<R>(level.wrapping_sub(up));
        let place = whole::from_bits::<R>(goal) * distance;
        let number = place.floor();
        let to_right = (place - number).ge(R::lit(0.5));
        let number = whole::to_bits::<R>(number);
        let number = <R::Bits as Bits>::select(draws, zero, number);
        let purpose = <R::Bits as Bits>::lit(brownian::OF_NODES);
        let normals = brownian::numbers::<R, K>(path, cell, number, purpose, true);

        // The standard deviations of a node of half the length are the halves of these two levels
        // above.
        let even = (up & one).equals(zero);
        let scale = whole::part::<R>(up.shr::<1>());
        let sd = R::select(even, nodes.spreads[0][0], nodes.spreads[1][0]) * scale;
        let sd_of_area = R::select(even, nodes.spreads[0][1], nodes.spreads[1][1]) * scale;

        let reached = <R::Bits as Bits>::select(draws, zero, up.wrapping_add(one));
        let advances = works & ready;
        // The right half follows the left half.
        let adds = works & !draws & !to_right;
        let adds_here = adds & !ready;
        let adds_later = adds & ready;
        for j in 0..K {
            let w = R::select(ready, nodes.next[0][0][j], nodes.here[0][j]);
            let h = R::select(ready, nodes.next[0][1][j], nodes.here[1][j]);
            let of_cell = [sd * normals[0][j], sd_of_area * normals[1][j]];
            let z = R::lit(0.25) * of_cell[0];
            let n = R::lit(0.5) * of_cell[1];
            let halves = brownian::halved::<R>(w, h, z, n);
            for i in 0..2 {
                let half = R::select(to_right, halves[i + 2], halves[i]);
                let made = R::select(draws, of_cell[i], half);
                for e in 0..KEPT - 2 {
                    let place = KEPT - 1 - e;
                    let before = nodes.next[place - 1][i][j];
                    nodes.next[place][i][j] = R::select(adds, before, nodes.next[place][i][j]);
                }
                let before = nodes.next[0][i][j];
                let second = R::select(adds_later, halves[i + 2], nodes.next[1][i][j]);
                nodes.next[1][i][j] = R::select(adds_here, before, second);
                let first = R::select(advances, made, before);
                nodes.next[0][i][j] = R::select(adds_here, halves[i + 2], first);
                nodes.here[i][j] = R::select(ready, nodes.here[i][j], made);
            }
        }
        // The levels in the same order.
        let all = <R::Bits as Bits>::lit(ALL_NONE);
        let rest = nodes.levels & !none;
        let one_more = (nodes.levels.shl::<5>() & all) | reached;
        let both = (rest.shl::<5>() & all) | (reached.shl::<5>() | reached);
        let divided = <R::Bits as Bits>::select(adds_later, both, rest | reached);
        let levels = <R::Bits as Bits>::select(advances, divided, nodes.levels);
        nodes.levels = <R::Bits as Bits>::select(adds_here, one_more, levels);
        nodes.level = <R::Bits as Bits>::select(ready, nodes.level, reached);
        nodes.level.equals(level)
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

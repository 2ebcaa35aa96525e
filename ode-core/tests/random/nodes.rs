//! Stored numbers of nodes against a descent from the cell for each node.

use ode_core::lane::{Bits, Scalar};
use ode_core::random::{brownian, nodes, path};

/// Walks over nodes, as adaptive steps do, and returns the iterations for each step.
///
/// Of a thousand steps, about `rejected` are rejected, and about `ended` end a segment. The first
/// level of a segment is `first`, and no level is above `last`.
fn walk<T: Scalar>(first: u32, last: u32, rejected: u64, ended: u64) -> f64 {
    let bits = |x: u64| <T::Bits as Bits>::lit(x);
    let seed = [bits(17), bits(4)];
    let number = [bits(5), bits(0)];
    let length = 0.75;
    let mut state = 1_u64;
    let mut drawn = |below: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % below
    };
    let (mut cell, mut node) = (0_u64, 1_u64 << first);
    let mut stored = nodes::nodes::<T, 2>();
    let (mut moved, mut begins) = (false, true);
    let (mut steps, mut iterations) = (0, 0);
    while steps < 5000 {
        iterations += 1;
        let level = node.ilog2();
        let size = length / f64::from(1_u32 << level);
        let interval = path::on_node::<T>(seed, number, bits(cell), bits(node), T::narrow(size));
        let length = T::narrow(length);
        let ready = nodes::approach::<T, 2>(&mut stored, &interval, length, moved, begins);
        (moved, begins) = (false, false);
        if !ready {
            continue;
        }
        steps += 1;
        let found = nodes::on_node::<T, 2>(&stored, &interval);
        let expected = brownian::increments::<T, 2>(&interval, true);
        assert_eq!(found, expected, "cell {cell}, node {node}");
        if drawn(1000) < rejected {
            node <<= (1 + drawn(3)).min(u64::from(last - level));
            continue;
        }
        moved = true;
        node += 1;
        if drawn(1000) < ended {
            begins = true;
            cell += 1;
            node = 1 << first;
        } else if node.is_power_of_two() {
            cell += 1;
            node >>= 1;
        }
        if !begins && node % 2 == 0 && level > first && drawn(2) == 0 {
            node >>= 1;
        }
    }
    f64::from(iterations) / f64::from(steps)
}

#[test]
fn stored_numbers_are_those_of_the_descent() {
    for first in [0, 1, 2, 5, 9, 17] {
        walk::<f64>(first, 22, 100, 5);
        walk::<f32>(first, 22, 100, 5);
        walk::<f64>(first, 22, 300, 100);
    }
}

/// A division for each iteration, and a quarter more iterations than steps.
#[test]
fn few_steps_wait() {
    assert!(walk::<f64>(0, 22, 0, 0) < 1.001);
    for first in [2, 4, 8] {
        let each = walk::<f64>(first, 22, 0, 0);
        assert!(each < 1.35, "level {first}: {each}");
        let each = walk::<f64>(first, 22, 40, 0);
        assert!(each < 1.35, "level {first}: {each}");
    }
}

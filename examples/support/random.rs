//! Random numbers by index: the `i`-th needs none of those before it, so trajectories may be
//! made in any order, on any thread, and a seed always means the same ensemble.

/// The `i`-th uniform random number in [0, 1) of a seed.
///
/// SplitMix64 (Steele, Lea and Flood 2014, "Fast splittable pseudorandom number generators"),
/// whose state after `i` steps is known in advance. The seed is mixed first, so that the
/// sequences of neighbouring seeds do not overlap.
pub fn uniform(seed: u64, i: u64) -> f64 {
    const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
    let start = mix(seed.wrapping_mul(GOLDEN).wrapping_add(GOLDEN));
    let bits = mix(start.wrapping_add(i.wrapping_add(1).wrapping_mul(GOLDEN)));
    (bits >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
}

fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

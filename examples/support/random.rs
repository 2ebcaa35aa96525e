//! Random numbers by index. A number does not depend on earlier ones, so trajectories may be
//! created in any order, on any thread, and a seed always defines the same ensemble.

/// Returns the `i`-th uniform random number in [0, 1) of a seed.
///
/// The generator is SplitMix64 (Steele, Lea and Flood 2014, "Fast splittable pseudorandom number
/// generators"), with a state after `i` steps that is known in closed form. The seed is mixed
/// first, so that the sequences of neighbouring seeds do not overlap.
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

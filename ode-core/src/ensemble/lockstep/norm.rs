//! The norm of the errors of all members.

/// The norm of all members' scaled errors, which controls the common step size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LockstepNorm {
    /// The maximum norm.
    ///
    /// A step is short enough for every member, so each member is as accurate as a trajectory
    /// solved by itself.
    #[default]
    Greatest,
    /// The root mean square, as in SciML's `EnsembleGPUArray`.
    ///
    /// The solve takes fewer steps, but one member among many may have errors much larger than its
    /// tolerances. [`worst_member`](crate::EnsembleSolution::worst_member) returns the greatest
    /// error.
    Mean,
}

/// The size of groups of members.
///
/// The squared errors of a group are added in the precision of the solve, and the sums of groups in
/// `f64`.
pub(crate) const TOGETHER: usize = 32;

/// Sums numbers pairwise, as a tree of neighbours.
///
/// The sum depends only on the order of the numbers: neither on their distribution over threads,
/// nor on zeros behind the last one.
pub(crate) fn sum_of_neighbours<T>(numbers: &mut [T]) -> T
where
    T: Copy + Default + core::ops::Add<Output = T>,
{
    let mut len = numbers.len();
    if len == 0 {
        return T::default();
    }
    while len > 1 {
        for i in 0..len / 2 {
            numbers[i] = numbers[2 * i] + numbers[2 * i + 1];
        }
        if len % 2 == 1 {
            numbers[len / 2] = numbers[len - 1];
        }
        len = len.div_ceil(2);
    }
    numbers[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sums of parts that begin at multiples of a power of two add up to the same sum.
    #[test]
    fn sums_of_parts_are_the_sum() {
        for n in [1, 2, 3, 31, 32, 33, 64, 100, 1000, 4097] {
            let numbers: Vec<f32> = (0..n).map(|i| ((i * 37 % 101) as f32).exp2() * 0.7).collect();
            let whole = sum_of_neighbours(&mut numbers.clone());
            for part in [2, 32, 256] {
                let mut parts: Vec<f32> =
                    numbers.chunks(part).map(|p| sum_of_neighbours(&mut p.to_vec())).collect();
                assert_eq!(sum_of_neighbours(&mut parts).to_bits(), whole.to_bits(), "{n} {part}");
            }
            let padded = [numbers, vec![0.0; 13]].concat();
            assert_eq!(sum_of_neighbours(&mut padded.clone()).to_bits(), whole.to_bits());
        }
        assert_eq!(sum_of_neighbours::<f64>(&mut []), 0.0);
    }
}

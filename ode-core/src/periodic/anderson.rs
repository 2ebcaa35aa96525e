//! Corrections of fixed-point iterations by Anderson's method.

/// A state and its image under the map of an interval.
#[derive(Clone, Debug)]
pub(super) struct Image {
    /// The state after the interval.
    pub(super) after: Vec<f64>,
    /// The change of the state by the interval.
    pub(super) change: Vec<f64>,
}

/// Returns an estimate of the fixed point, from the last `images` and scales of the components.
///
/// The changes of the images are interpolated linearly, so that the length of the interpolated
/// change, in units of `scales`, is as small as possible. The result is `None` if the differences of
/// changes contain little but rounding errors, which are fractions `rounding` of the states. A
/// difference is left out if it is that small, or if the angle to later differences is: if its sine
/// is below the root of `rounding`.
pub(super) fn estimate(images: &[Image], scales: &[f64], rounding: f64) -> Option<Vec<f64>> {
    let (last, _) = images.split_last()?;
    let mut found = last.after.clone();
    // Orthonormal combinations of the differences of changes, with the same combinations of the
    // differences of states after the interval.
    let mut bases: Vec<(Vec<f64>, Vec<f64>)> = Vec::new();
    let scaled = |change: f64, d: usize| change / scales[d];
    let rest: Vec<f64> = last.change.iter().enumerate().map(|(d, x)| scaled(*x, d)).collect();
    let size: Vec<f64> = last.after.iter().enumerate().map(|(d, u)| scaled(*u, d)).collect();
    let least = rounding * norm(&size);
    for pair in images.windows(2).rev() {
        let [old, new] = pair else { continue };
        let mut change: Vec<f64> =
            (0..scales.len()).map(|d| scaled(new.change[d] - old.change[d], d)).collect();
        let mut after: Vec<f64> = new.after.iter().zip(&old.after).map(|(b, a)| b - a).collect();
        let length = norm(&change);
        // The second round removes the rounding errors of the first one.
        for _ in 0..2 {
            for (basis, with) in &bases {
                let part = dot(&change, basis);
                add(&mut change, -part, basis);
                add(&mut after, -part, with);
            }
        }
        let left = norm(&change);
        let counts = length > least && left > rounding.sqrt() * length;
        if !counts || bases.len() == scales.len() {
            continue;
        }
        change.iter_mut().for_each(|x| *x /= left);
        after.iter_mut().for_each(|x| *x /= left);
        bases.push((change, after));
    }
    for (basis, with) in &bases {
        add(&mut found, -dot(&rest, basis), with);
    }
    (!bases.is_empty()).then_some(found)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

/// Adds `factor` times `b` to `a`.
fn add(a: &mut [f64], factor: f64, b: &[f64]) {
    for (a, b) in a.iter_mut().zip(b) {
        *a += factor * b;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(u: &[f64], after: Vec<f64>) -> Image {
        let change = after.iter().zip(u).map(|(b, a)| b - a).collect();
        Image { after, change }
    }

    /// `u -> A u + b` with fixed point (3, -2, 0.5) and eigenvalues 0.99, 0.5 and -0.3.
    fn linear(u: &[f64]) -> Vec<f64> {
        let fixed = [3.0, -2.0, 0.5];
        let e: Vec<f64> = u.iter().zip(fixed).map(|(u, f)| u - f).collect();
        vec![
            fixed[0] + 0.99 * e[0] + 0.2 * e[1],
            fixed[1] + 0.5 * e[1],
            fixed[2] - 0.3 * e[2] + 0.1 * e[0],
        ]
    }

    #[test]
    fn linear_maps_take_an_interval_for_each_state() {
        let mut u = vec![0.0; 3];
        let mut images = Vec::new();
        for _ in 0..4 {
            images.push(image(&u, linear(&u)));
            let end = images.last().map(|image| image.after.clone());
            u = estimate(&images, &[1.0, 2.0, 0.1], 1e-15).or(end).unwrap();
        }
        for (found, fixed) in u.iter().zip([3.0, -2.0, 0.5]) {
            assert!((found - fixed).abs() < 1e-9, "{u:?}");
        }
    }

    /// In one dimension the method is the secant method.
    #[test]
    fn one_state_is_the_secant_method() {
        let map = |u: f64| u.cos();
        let (a, b) = (0.5, 0.9);
        let images = [image(&[a], vec![map(a)]), image(&[b], vec![map(b)])];
        let [ra, rb] = [map(a) - a, map(b) - b];
        let secant = b - rb * (b - a) / (rb - ra);
        let found = estimate(&images, &[7.0], 1e-15).unwrap();
        assert!((found[0] - secant).abs() < 1e-14);
    }

    #[test]
    fn parallel_differences_are_left_out() {
        let map = |u: f64| vec![0.5 * u + 1.0, 1.0];
        let images: Vec<Image> =
            [0.0, 1.0, 5.0, 3.0].map(|u| image(&[u, 1.0], map(u))).into_iter().collect();
        assert_eq!(estimate(&images, &[1.0; 2], 1e-15).unwrap(), [2.0, 1.0]);
    }

    #[test]
    fn equal_differences_give_no_estimate() {
        let images: Vec<Image> =
            (0..4).map(|k| image(&[f64::from(k), 1.0], vec![f64::from(k) + 1.0, 1.0])).collect();
        assert_eq!(estimate(&images, &[1.0; 2], 1e-15), None);
        let images = [image(&[1e9], vec![1e9 + 0.5]), image(&[2e9], vec![2e9 + 0.499_999_9])];
        assert_eq!(estimate(&images, &[1.0], 1e-15), None);
        assert_eq!(estimate(&images[..1], &[1.0], 1e-15), None);
    }
}

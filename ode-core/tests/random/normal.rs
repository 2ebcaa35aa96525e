//! Quantiles of the normal distribution.

use crate::series;
use crate::{kolmogorov_smirnov, uniform};
use ode_core::random::normal_quantile;

/// By `tools/sampling_references.py`: mpmath with 60 digits; SciPy's `norm.ppf` are at most two units
/// in the last place from them.
const QUANTILES: [(f64, f64); 37] = [
    (1.1102230246251565e-16, -8.209536151601387),
    (2.220446049250313e-16, -8.125890664701906),
    (1e-300, -37.0470962993612),
    (1e-100, -21.273453560965326),
    (1e-15, -7.941345326170997),
    (1e-10, -6.361340902404057),
    (1.3e-11, -6.667611456510741),
    (1.4e-11, -6.656723091518184),
    (1e-06, -4.753424308822899),
    (0.0001, -3.7190164854556804),
    (0.001, -3.0902323061678136),
    (0.01, -2.326347874040841),
    (0.025, -1.9599639845400543),
    (0.05, -1.6448536269514726),
    (0.0749999, -1.4395321773759007),
    (0.075, -1.439531470938456),
    (0.0750001, -1.4395307645017297),
    (0.1, -1.2815515655446004),
    (0.25, -0.6744897501960817),
    (0.4, -0.2533471031357997),
    (0.49, -0.025068908258711057),
    (0.499999, -2.5066282745665593e-06),
    (0.5, 0.0),
    (0.500001, 2.5066282747057052e-06),
    (0.6, 0.2533471031357997),
    (0.75, 0.6744897501960817),
    (0.9, 1.2815515655446006),
    (0.925, 1.4395314709384561),
    (0.9250001, 1.4395321773759004),
    (0.95, 1.6448536269514722),
    (0.975, 1.9599639845400538),
    (0.99, 2.3263478740408408),
    (0.999, 3.090232306167813),
    (0.9999, 3.7190164854557084),
    (0.999999, 4.753424308817087),
    (0.9999999999, 6.361340889697422),
    (0.9999999999999999, 8.209536151601387),
];

#[test]
fn quantiles_are_those_of_scipy() {
    let mut greatest: f64 = 0.0;
    for (p, expected) in QUANTILES {
        let z = normal_quantile(p);
        if expected == 0.0 {
            assert_eq!(z, 0.0);
            continue;
        }
        let unit = f64::from_bits(expected.abs().to_bits() + 1) - expected.abs();
        greatest = greatest.max((z - expected).abs() / unit);
    }
    println!("greatest error: {greatest} units in the last place");
    assert!(greatest <= 4.0, "{greatest}");
}

#[test]
fn quantiles_of_other_numbers() {
    assert_eq!(normal_quantile(0.0_f64), -f64::INFINITY);
    assert_eq!(normal_quantile(1.0_f64), f64::INFINITY);
    for p in [-0.1, 1.1, f64::INFINITY, f64::NAN] {
        assert!(normal_quantile(p).is_nan(), "{p}");
    }
    for (p, expected) in QUANTILES.iter().filter(|(p, _)| (1e-30..1.0 - 1e-7).contains(p)) {
        let z = normal_quantile(*p as f32);
        // The argument is rounded too.
        let slope = (0.5 * expected * expected).exp() * (2.0 * std::f64::consts::PI).sqrt();
        let error = 6e-8 * p.min(1.0) * slope + 4e-7 * expected.abs();
        assert!((f64::from(z) - expected).abs() <= error, "{p}: {z}");
    }
}

/// Opposite probabilities, which are exact, have opposite quantiles; and larger ones larger.
#[test]
fn quantiles_are_odd_and_monotone() {
    let mut last = -f64::INFINITY;
    for k in 1..200_000 {
        let p = f64::from(k) / 400_000.0;
        let p = f64::from_bits(p.to_bits() >> 20 << 20);
        let z = normal_quantile(p);
        assert_eq!(normal_quantile(1.0 - p), -z, "{p}");
        assert!(last <= z, "{p}");
        last = z;
    }
    // Where the pieces meet neighbours may differ by rounding in either direction.
    for middle in [0.075, 0.925, (-25.0_f64).exp()] {
        let neighbours = (0..2000).map(|i| f64::from_bits(middle.to_bits() - 1000 + i));
        let z: Vec<f64> = neighbours.map(normal_quantile).collect();
        assert!(z.windows(2).all(|z| z[0] <= z[1] + 1e-15 * z[0].abs()), "{middle}");
    }
}

/// The moments of 200 000 numbers within four standard errors, and the whole distribution.
#[test]
fn normal_numbers_are_normal() {
    let n = 200_000;
    let z: Vec<f64> = uniform([7, 0], 3, n).into_iter().map(normal_quantile).collect();
    // E z^k and the variance of z^k, from the moments 1, 3, 15, 105, ... of even order.
    let moments =
        [(1, 0.0, 1.0), (2, 1.0, 2.0), (3, 0.0, 15.0), (4, 3.0, 96.0), (6, 15.0, 10170.0)];
    for (k, mean, variance) in moments {
        let found = z.iter().map(|z| z.powi(k)).sum::<f64>() / n as f64;
        let error: f64 = (variance / n as f64).sqrt();
        assert!((found - mean).abs() < 4.0 * error, "moment {k}: {found}");
    }
    assert!(kolmogorov_smirnov(&z, series::normal) < 1.95);
}

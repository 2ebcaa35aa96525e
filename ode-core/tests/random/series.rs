//! Distribution functions by series, which no quantile is made of.

/// The normal distribution function by its series about 0 (Abramowitz, Stegun 26.2.11).
pub(crate) fn normal(x: f64) -> f64 {
    let (mut term, mut sum, mut k) = (x, x, 1.0);
    while term.abs() > 1e-17 * sum.abs() {
        k += 2.0;
        term *= x * x / k;
        sum += term;
    }
    0.5 + sum * (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt()
}

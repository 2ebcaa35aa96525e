//! Numbers of a distribution by its quantiles, and numbers evenly apart.

#[ode_macros::device(distribution)]
pub(super) mod device {
    use crate::lane::Real;
    use crate::random::normal::device as normal;

    /// Uniform between two numbers, the second of which is a result where rounding makes it so.
    pub fn between<R: Real>(u: R, low: R, high: R) -> R {
        (high - low).mul_add(u, low).min(high)
    }

    /// A number whose logarithm is uniform between those of two numbers, whose logarithms are `logs`.
    pub fn log_between<R: Real>(u: R, low: R, high: R, logs: [R; 2]) -> R {
        let x = between(u, logs[0], logs[1]).exp();
        low.max(x.min(high))
    }

    /// Normal, of this mean and standard deviation.
    pub fn gaussian<R: Real>(u: R, mean: R, sd: R) -> R {
        normal::quantile(u).mul_add(sd, mean)
    }

    /// A number whose logarithm is normal.
    pub fn log_normal<R: Real>(u: R, mu: R, sigma: R) -> R {
        gaussian(u, mu, sigma).exp()
    }

    /// An integer from 0 to `last`, each as likely as the others.
    pub fn position<R: Real>(u: R, last: R) -> R {
        last.min((u * (last + R::lit(1.0))).floor())
    }

    /// Number `i` of numbers evenly apart, the last of which, `to`, is number `last`.
    pub fn linspace<R: Real>(i: R, last: R, from: R, to: R, step: R) -> R {
        R::select(i.ge(last), to, i.mul_add(step, from))
    }

    /// Number `i` of numbers whose logarithms are evenly apart. `log` is that of `from`.
    pub fn logspace<R: Real>(i: R, last: R, ends: [R; 2], log: R, step: R) -> R {
        let x = R::select(i.le(R::lit(0.0)), ends[0], i.mul_add(step, log).exp());
        R::select(i.ge(last), ends[1], x)
    }
}

//! Quantiles of distributions, and evenly spaced numbers.

#[ode_macros::device(distribution)]
pub(super) mod device {
    use crate::lane::Real;
    use crate::random::normal::device as normal;

    /// Returns a number uniform between two numbers.
    ///
    /// Rounding may make it equal to `high`.
    pub fn between<R: Real>(u: R, low: R, high: R) -> R {
        (high - low).mul_add(u, low).min(high)
    }

    /// Returns a number whose logarithm is uniform between the `logs` of two numbers.
    pub fn log_between<R: Real>(u: R, low: R, high: R, logs: [R; 2]) -> R {
        let x = between(u, logs[0], logs[1]).exp();
        low.max(x.min(high))
    }

    /// Returns a normal number of this mean and standard deviation.
    pub fn gaussian<R: Real>(u: R, mean: R, sd: R) -> R {
        normal::quantile(u).mul_add(sd, mean)
    }

    /// Returns a number whose logarithm is normal.
    pub fn log_normal<R: Real>(u: R, mu: R, sigma: R) -> R {
        gaussian(u, mu, sigma).exp()
    }

    /// Returns an integer from 0 to `last`, each equally likely.
    pub fn position<R: Real>(u: R, last: R) -> R {
        last.min((u * (last + R::lit(1.0))).floor())
    }

    /// Returns number `i` of evenly spaced numbers; number `last` is `to`.
    pub fn linspace<R: Real>(i: R, last: R, from: R, to: R, step: R) -> R {
        R::select(i.ge(last), to, i.mul_add(step, from))
    }

    /// Returns number `i` of numbers with evenly spaced logarithms; `log` is the logarithm of the
    /// first.
    pub fn logspace<R: Real>(i: R, last: R, ends: [R; 2], log: R, step: R) -> R {
        let x = R::select(i.le(R::lit(0.0)), ends[0], i.mul_add(step, log).exp());
        R::select(i.ge(last), ends[1], x)
    }
}

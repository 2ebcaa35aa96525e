//! A system with observables, written by hand.
#![allow(dead_code)]

use super::workloads::lorenz;
use odes::Saving;
use odes::lane::{Real, Scalar};
use odes::prelude::*;
use odes::problem::Vary;
use odes::system::{
    DeviceSource, Domain, Events, Linearised, MassMatrix, NoNoise, Observe, Rhs, System,
    SystemInfo, TimeBreaks,
};
use std::sync::LazyLock;

/// [`lorenz`] with observables that depend on state, parameters and time.
///
/// One observable has no value if `x` is negative.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Observed;

impl Rhs<3, 3> for Observed {
    const AUTONOMOUS: bool = true;
    const WEIGHT: u32 = lorenz::WEIGHT;

    #[inline(always)]
    fn rhs<R: Real>(&self, u: &[R; 3], p: &[R; 3], t: R) -> [R; 3] {
        lorenz.rhs(u, p, t)
    }
}

impl Linearised<3, 3> for Observed {
    type Factors<R: Real> = <lorenz as Linearised<3, 3>>::Factors<R>;

    fn jacobian<R: Real>(&self, u: &[R; 3], p: &[R; 3], t: R) -> [[R; 3]; 3] {
        lorenz.jacobian(u, p, t)
    }

    fn parameter_jacobian<R: Real>(&self, u: &[R; 3], p: &[R; 3], t: R) -> [[R; 3]; 3] {
        lorenz.parameter_jacobian(u, p, t)
    }

    fn time_gradient<R: Real>(&self, u: &[R; 3], p: &[R; 3], t: R) -> [R; 3] {
        lorenz.time_gradient(u, p, t)
    }

    fn factor<R: Real>(&self, u: &[R; 3], p: &[R; 3], t: R, scale: R) -> Self::Factors<R> {
        lorenz.factor(u, p, t, scale)
    }

    fn solve<R: Real>(&self, w: &Self::Factors<R>, b: &[R; 3]) -> [R; 3] {
        lorenz.solve(w, b)
    }

    fn negative<R: Real>(&self, w: &Self::Factors<R>) -> R::Mask {
        lorenz.negative(w)
    }
}

impl Observe<3, 3> for Observed {
    const OBSERVABLES: usize = 3;

    #[inline(always)]
    fn observe<R: Real>(&self, u: &[R; 3], p: &[R; 3], t: R, mut put: impl FnMut(usize, R)) {
        let [x, y, z] = *u;
        put(0, R::lit(0.5) * z.mul_add(z, y.mul_add(y, x * x)));
        put(1, t.mul_add(p[1], (-x).exp()));
        put(2, x.ln());
    }
}

impl MassMatrix<3> for Observed {}
impl Domain<3, 3> for Observed {}
impl Events<3, 3> for Observed {}
impl TimeBreaks<3> for Observed {}

/// The information of [`lorenz`], except for the name and the observables.
static INFO: LazyLock<SystemInfo> = LazyLock::new(|| SystemInfo {
    name: "observed",
    observables: &["energy", "clock", "growth"],
    events: &[],
    ..*lorenz.info()
});

impl System<3, 3> for Observed {
    type State<T: Scalar> = [T; 3];
    type Parameters<T: Scalar> = [T; 3];
    type Noise = NoNoise;

    fn info(&self) -> &'static SystemInfo {
        &INFO
    }

    fn device_source(&self) -> Option<DeviceSource> {
        let own = "    template<class R> static DEVICE Arr<R, 3> observables(
        const Arr<R, 3>& u, const Arr<R, 3>& p, R t
    ) {
        R energy = Real<R>::lit(0.5) * m_mul_add(u[2], u[2], m_mul_add(u[1], u[1], u[0] * u[0]));
        R clock = m_mul_add(t, p[1], math::exp(-u[0]));
        return array(energy, clock, math::ln(u[0]));
    }
";
        let source = lorenz.device_source()?;
        let (before, end) = source.text().rsplit_once("};")?;
        // SAFETY: the added text reads three numbers of each array and returns three.
        Some(unsafe { DeviceSource::new(format!("{before}{own}}};{end}"), [3, 3, 3]) })
    }
}

/// `rho` from 0 to 28, `x` of both signs.
pub(crate) fn observed_sweep<T: Scalar>(
    n: usize,
    end: f64,
) -> EnsembleProblem<Observed, T, impl Vary<Observed, T, 3, 3> + Clone, 3, 3> {
    let p = |rho| [10.0, rho, 8.0 / 3.0];
    let problem = OdeProblem::new(Observed, [1.0, 0.0, 0.0], 0.0..=end, p(28.0));
    EnsembleProblem::new(problem)
        .trajectories(n)
        .vary(move |q, i| q.with_p(p(28.0 * i as f64 / n as f64)))
        .cast()
}

/// Several ways to save, with adaptive and with fixed steps.
pub(crate) fn ways_to_save() -> Vec<SolveOptions> {
    let adaptive = SolveOptions::default().abstol(1e-6).reltol(1e-6);
    let fixed = SolveOptions::default().fixed_step(0.01);
    let steps = [adaptive, fixed];
    let times = steps.into_iter().flat_map(|o| {
        let list = o.clone().saveat([0.5, 2.0]);
        [o.saveat(0.3), list.clone().save_start(true).save_end(true), list]
    });
    times
        .flat_map(|o| {
            [Saving::States, Saving::Observables, Saving::Both].map(|s| o.clone().saving(s))
        })
        .collect()
}

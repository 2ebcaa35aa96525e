//! The entry points whose code is looked at: Lorenz by Tsit5, final states only.
//!
//! A program with a source of its own, as short as it can be: ensembles compile each of their
//! programs for scalars too and with times to save at, which takes several times as long, and all
//! have the same name there. What the source does within the step loop, it does as that of ensembles.

use ode_core::Method;
use ode_core::integrate::integrate;
use ode_core::integrate::options::{End, LoopConfig, Options, Sink, Source, SystemConstants};
use ode_core::lane::dispatch::{self, LaneProgram, SimdFamily};
use ode_core::lane::{Bits, Mask, Real, Scalar};
use ode_core::methods::Tsit5;
use ode_core::step::{control, norm};

/// Stands for `odes` in the expansion of the macro.
pub(crate) mod facade {
    pub(crate) use ode_core::__private;
}

/// Lorenz (1963), "Deterministic nonperiodic flow".
#[ode_macros::ode_system(crate = crate::probe::facade)]
pub(crate) fn lorenz(du: &mut [f64; 3], u: &[f64; 3], p: &[f64; 3], _t: f64) {
    let [x, y, z] = *u;
    let [sigma, rho, beta] = *p;
    du[0] = sigma * (y - x);
    du[1] = x * (rho - z) - y;
    du[2] = x * y - beta * z;
}

/// No trajectory.
const IDLE: usize = usize::MAX;

/// A trajectory: initial state, parameters, time span.
pub(crate) type Problem<T> = ([T; 3], [T; 3], [T; 2]);

/// A solve, `ADAPTIVE` or not.
pub(crate) struct Solve<T, const ADAPTIVE: bool> {
    problems: Vec<Problem<T>>,
    finals: Vec<[T; 3]>,
    /// Absolute and relative tolerance, step size, smallest step size.
    options: [T; 4],
    max_steps: u64,
    quota: u32,
    next: usize,
    lanes: [usize; 64],
}

impl<T: Scalar, const ADAPTIVE: bool> Solve<T, ADAPTIVE> {
    pub(crate) fn new(n: usize) -> Self {
        let rho = |i: usize| T::narrow(21.0 * i as f64 / n as f64);
        let number = T::narrow;
        let problem = |i| {
            let p = [number(10.0), rho(i), number(8.0 / 3.0)];
            ([number(1.0), number(0.5), number(0.25)], p, [number(0.0), number(1.0)])
        };
        Solve {
            problems: (0..n).map(problem).collect(),
            finals: vec![[number(0.0); 3]; n],
            options: [1e-6, 1e-6, if ADAPTIVE { 0.0 } else { 0.01 }, 1e-9].map(number),
            max_steps: 1000,
            quota: 1,
            next: 0,
            lanes: [IDLE; 64],
        }
    }
}

/// Nothing is saved.
struct StaticConfig<const ADAPTIVE: bool>;

impl<const ADAPTIVE: bool> LoopConfig for StaticConfig<ADAPTIVE> {
    const ADAPTIVE: bool = ADAPTIVE;
    const SAVES: bool = false;
    const RECORDS: bool = false;
    const SYSTEM: SystemConstants = SystemConstants::NONE;
}

impl<T: Scalar, const ADAPTIVE: bool> LaneProgram<T> for Solve<T, ADAPTIVE> {
    type Output = Vec<[T; 3]>;
    const VECTORS: usize = dispatch::vectors(3);

    #[inline(always)]
    fn run<R: Real<Scalar = T>>(mut self) -> Vec<[T; 3]> {
        let [abstol, reltol, dt, dtmin] = self.options.map(|x| R::lit(x.widen()));
        let max_steps = <R::Bits as Bits>::lit(self.max_steps);
        let law = Tsit5::PROPERTIES.law::<T>(Tsit5::PROPERTIES.controller, 3);
        let law = control::law::<R>(law.map(|x| <R::Single as Real>::lit(f64::from(x))));
        let stiff_law = law;
        let tolerances = norm::tolerances([abstol; 3], reltol);
        let kind = control::KIND_PI;
        let (dtmax, limited) = (dt, false);
        let options = Options::<R, 3> {
            tolerances,
            dt,
            dtmin,
            dtmax,
            limited,
            stops: false,
            every_step: false,
            law,
            stiff_law,
            kind,
            max_steps,
            guard: 0,
        };
        integrate::<R, _, Tsit5, _, StaticConfig<ADAPTIVE>, 3, 3>(lorenz, &mut self, &options);
        self.finals
    }
}

impl<T: Scalar, const ADAPTIVE: bool> Solve<T, ADAPTIVE> {
    /// `x` with a number of the lanes' problems filled in.
    #[inline(always)]
    fn fill<R, F>(&self, which: R::Mask, mut x: R, number: F) -> R
    where
        R: Real<Scalar = T>,
        F: Fn(&Problem<T>) -> T,
    {
        for lane in 0..R::LANES {
            if which.to_bitmask() >> lane & 1 != 0 {
                x.set_lane(lane, number(&self.problems[self.lanes[lane]]));
            }
        }
        x
    }
}

impl<R: Real<Scalar = T>, T: Scalar, const ADAPTIVE: bool> Source<R, 3, 3> for Solve<T, ADAPTIVE> {
    #[inline(always)]
    fn should_refill(&mut self, need: R::Mask) -> bool {
        need.to_bitmask().count_ones() >= self.quota
    }
    #[inline(always)]
    fn waits(&self) -> bool {
        false
    }
    #[inline(always)]
    fn vote(&mut self, alive: R::Mask) -> bool {
        self.quota = if ADAPTIVE { alive.to_bitmask().count_ones().div_ceil(8) } else { 1 };
        alive.any()
    }
    #[inline(always)]
    fn acquire(&mut self, need: R::Mask) -> R::Mask {
        let mut got = 0;
        for lane in 0..R::LANES {
            if need.to_bitmask() >> lane & 1 != 0 {
                self.lanes[lane] = if self.next < self.problems.len() { self.next } else { IDLE };
                if self.lanes[lane] != IDLE {
                    self.next += 1;
                    got |= 1 << lane;
                }
            }
        }
        R::Mask::from_bitmask(got)
    }
    #[inline(always)]
    fn path_number(&self, _: R) -> [R::Bits; 2] {
        [<R::Bits as Bits>::lit(0); 2]
    }
    #[inline(always)]
    fn load_u(&self, got: R::Mask, mut u: [R; 3]) -> [R; 3] {
        for d in 0..3 {
            u[d] = self.fill(got, u[d], |problem| problem.0[d]);
        }
        u
    }
    #[inline(always)]
    fn load_p(&self, got: R::Mask, mut p: [R; 3]) -> [R; 3] {
        for d in 0..3 {
            p[d] = self.fill(got, p[d], |problem| problem.1[d]);
        }
        p
    }
    #[inline(always)]
    fn load_start(&self, got: R::Mask, t: R) -> R {
        self.fill(got, t, |problem| problem.2[0])
    }
    #[inline(always)]
    fn load_end(&self, got: R::Mask, t: R) -> R {
        self.fill(got, t, |problem| problem.2[1])
    }
    #[inline(always)]
    fn stop_time(&self, _which: R::Mask, _index: R::Bits, t: R) -> R {
        t
    }
}

impl<R: Real<Scalar = T>, T: Scalar, const ADAPTIVE: bool> Sink<R, 3, 3> for Solve<T, ADAPTIVE> {
    #[inline(always)]
    fn saves(&self) -> bool {
        false
    }
    #[inline(always)]
    fn save_time(&self, _which: R::Mask, _slot: R::Bits, t: R) -> R {
        t
    }
    #[inline(always)]
    fn save(&mut self, _: R::Mask, _: R::Bits, _: [R; 3], _: [R; 3], _: R) {}
    #[inline(always)]
    fn record(&mut self, _: R::Mask, _: &[R; 3], _: R, _: R, _: R) {}
    #[inline(always)]
    fn event_count(&self, _: usize) -> R::Bits {
        R::Bits::lit(0)
    }
    #[inline(always)]
    fn set_event_count(&mut self, _: R::Mask, _: usize, _: R::Bits) {}
    #[inline(always)]
    fn logs(&self) -> bool {
        false
    }
    #[inline(always)]
    fn log_event(&mut self, _: R::Mask, _: R::Bits, _: R, _: R, _: &[R; 3], _: &[R; 3]) {}
    #[inline(always)]
    fn finish(&mut self, done: R::Mask, u: [R; 3], _: End<R>) {
        for lane in 0..R::LANES {
            if done.to_bitmask() >> lane & 1 != 0 {
                // At the beginning a lane has no trajectory.
                if let Some(end) = self.finals.get_mut(self.lanes[lane]) {
                    *end = u.map(|x| x.lane(lane));
                }
            }
        }
    }
}

/// The addresses of the solve compiled for AVX2 and for AVX-512.
pub(crate) fn wide_entries<T: Scalar, const ADAPTIVE: bool>() -> [usize; 2] {
    type Entry<T, const ADAPTIVE: bool> = unsafe fn(Solve<T, ADAPTIVE>) -> Vec<[T; 3]>;
    let entries: [Entry<T, ADAPTIVE>; 2] = [T::Simd::avx2, T::Simd::avx512];
    entries.map(|entry| entry as usize)
}

/// The address of a solve in arrays.
pub(crate) fn array_entry() -> usize {
    let entry: fn(Solve<f64, false>) -> Vec<[f64; 3]> = <f64 as Scalar>::Simd::portable;
    entry as usize
}

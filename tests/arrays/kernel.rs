//! The kernel's text, compiled by the host's C++ compiler, gives the bits of the CPU backend.

use crate::cpp::{HostCpp, in_memory};
use crate::systems::{constrained, forced, hyperbola, kicked};
use crate::workloads::{assert_same_bits, lorenz_sweep};
use odes::backend::{
    self, Backend, Capabilities, EnsembleAlgorithm, LockstepNorm, RawResults, Request,
    RequestVisitor, RunReport, SolveJob, WorstMember,
};
use odes::events::EventLog;
use odes::internals::kernel::lockstep::{LOCKSTEP_NAME, LockstepArguments};
use odes::internals::kernel::{KernelArguments, KernelConfig, LockstepConfig, Target};
use odes::lane::Scalar;
use odes::methods::{Method, Rk4, TrBdf2};
use odes::prelude::*;
use odes::problem::Vary;
use odes::system::System;
use odes::{GrowthGuard, Saving, Timings};
use odes_skipped::needs;

/// The kernel in one thread, with all members in memory.
struct CppArray {
    cpp: HostCpp,
    norm: LockstepNorm,
}

impl RequestVisitor for CppArray {
    fn solve<T: Scalar>(&self, job: SolveJob<'_, T>) -> Result<RunReport, SolveError> {
        let SolveJob { task, options: settings, inputs: columns, sink } = job;
        let mean = self.norm == LockstepNorm::Mean;
        let lockstep = Some(LockstepConfig { mean, resident: false, threads: 32 });
        let kernel_config = KernelConfig {
            target: Target::Host,
            lockstep,
            ..KernelConfig::new(settings, columns, false)
        };
        let library = self.cpp.compile(&task.kernel(&kernel_config)?);
        type Run<T> =
            unsafe extern "C" fn(*const KernelArguments<T>, *const T, *const LockstepArguments);
        // SAFETY: the function has this type; its arguments are checked by static_asserts.
        let run: libloading::Symbol<'_, Run<T>> =
            unsafe { library.get(LOCKSTEP_NAME.as_bytes()) }.unwrap();
        let (n, mut raw) = (columns.trajectories, RawResults::default());
        let mut memory = vec![T::nan(); n * task.lockstep_rows()];
        let mut errors = vec![T::nan(); n];
        in_memory(settings, columns.all(), &kernel_config, &mut raw, |arguments, shared| {
            let lockstep = LockstepArguments {
                words: 0,
                progress: 0,
                memory: memory.as_mut_ptr() as u64,
                errors: errors.as_mut_ptr() as u64,
                blocks: 1,
                tiles: n.div_ceil(32).next_power_of_two() as u32,
            };
            // SAFETY: every pointer is to as many elements as `Job`, `Shared` and `ArrayJob`
            // specify, and outlives the call. One thread needs no synchronisation.
            unsafe { run(arguments, shared.as_ptr(), &raw const lockstep) };
        })?;
        sink.store(columns.all(), &mut raw)?.is_break();
        let backend = Backend::Cpu { instructions: "c++".to_string(), threads: 1 };
        let mut report = RunReport::new(backend, Timings::default());
        if settings.adaptive {
            let squares = (columns.first..).zip(errors.iter().map(|square| square.widen()));
            report.worst_member = WorstMember::of(columns.u0.len(), squares);
        }
        Ok(report)
    }
}

impl EnsembleAlgorithm for CppArray {
    type Compiled = backend::Text;

    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities { couples_trajectories: true, ..Capabilities::default() }
    }

    fn run(&self, request: Request<'_>) -> Result<RunReport, SolveError> {
        request.visit(self)
    }
}

/// Compares the bits of both backends.
fn same<M, S, T, F, const N: usize, const P: usize>(
    method: M,
    ensemble: &EnsembleProblem<S, T, F, N, P>,
    norm: LockstepNorm,
    options: &SolveOptions,
) where
    M: Method,
    S: System<N, P>,
    T: Scalar,
    F: Vary<S, T, N, P>,
{
    let Some(cpp) = HostCpp::find() else { return };
    let expected = ensemble.solve(method, EnsembleCpuArray::new().norm(norm), options).unwrap();
    let found = ensemble.solve(method, CppArray { cpp, norm }, options).unwrap();
    assert_same_bits(&expected, &found);
    assert_eq!(expected.worst_member(), found.worst_member());
}

/// Oscillators whose number is no multiple of the tile's size.
fn oscillators<T: Scalar>()
-> EnsembleProblem<forced::Model, T, impl Vary<forced::Model, T, 2, 2>, 2, 2> {
    let problem = OdeProblem::new(forced, [1.0, 0.5], 0.0..=4.0, [4.0, 0.3]);
    let p = |i: usize| [4.0 + 0.1 * i as f64, 0.3];
    EnsembleProblem::new(problem).trajectories(77).vary(move |q, i| q.with_p(p(i))).cast()
}

#[needs(cpp)]
#[test]
fn explicit() {
    let options = SolveOptions::default().tolerance(1e-4).saveat(0.5);
    same(Tsit5, &lorenz_sweep::<f32>(100, 2.0), LockstepNorm::Mean, &options);
    let steps = options.clone().saveat(SaveAt::Steps).tstops([1.5]).dtmax(0.2);
    same(Tsit5, &oscillators::<f64>(), LockstepNorm::Greatest, &steps);
    let fixed = SolveOptions::default().fixed_step(0.05).saveat(0.25).saving(Saving::Both);
    same(Rk4, &oscillators::<f64>(), LockstepNorm::Greatest, &fixed);
    let chosen = fixed.save_only([2, 1]);
    same(Rk4, &oscillators::<f64>(), LockstepNorm::Greatest, &chosen);
}

#[needs(cpp)]
#[test]
fn implicit() {
    let options = SolveOptions::default().tolerance(1e-4).saveat(0.5);
    same(TrBdf2, &oscillators::<f32>(), LockstepNorm::Mean, &options);
    let problem = OdeProblem::new(constrained, [1e-12, 1e-12, 0.5], 0.0..=100.0, [1.0]);
    let seeds = EnsembleProblem::new(problem)
        .trajectories(40)
        .vary(|problem, i| problem.with_p([1.0 + 0.01 * i as f64]));
    let options = SolveOptions::default().tolerance(1e-5).growth_guard(GrowthGuard::Reject);
    same(Rodas5P, &seeds, LockstepNorm::Greatest, &options);
}

/// Dropped members.
#[needs(cpp)]
#[test]
fn failures() {
    let problem = OdeProblem::new(hyperbola, [1.0], 0.0..=2.0, [1.0]);
    let ensemble = EnsembleProblem::new(problem).trajectories(70).vary(|problem, i| {
        problem.with_p([match i {
            3 => 2.0,
            41 => f64::NAN,
            64 => 0.8,
            _ => 0.2,
        }])
    });
    let options = SolveOptions::default().tolerance(1e-6).saveat(0.25);
    same(Tsit5, &ensemble, LockstepNorm::Mean, &options);
}

/// Members with events, actions, modes, conditions and schedules of their own.
pub(crate) fn balls<T: Scalar>(
    n: usize,
) -> EnsembleProblem<kicked::Model, T, impl Vary<kicked::Model, T, 2, 3>, 2, 3> {
    let of = |i: usize| kicked::Parameters {
        restitution: 0.8 + 0.002 * (i % 77) as f64,
        kick: 1.0 + 0.125 * (i % 8) as f64,
        modes: kicked::Modes { bounces: 0.0 },
    };
    let at = kicked::State { height: 3.0, velocity: 0.0 };
    let problem = OdeProblem::new(kicked, at, 0.0..=3.0, of(0));
    EnsembleProblem::new(problem).trajectories(n).vary(move |q, i| q.with_p(of(i))).cast()
}

#[needs(cpp)]
#[test]
fn events() {
    let options = SolveOptions::default().tolerance(1e-5).saving(Saving::Both).saveat(0.25);
    let options = options.event_log(EventLog::new(5).with_states());
    same(Tsit5, &balls::<f64>(77), LockstepNorm::Greatest, &options);
    same(Tsit5, &balls::<f32>(40), LockstepNorm::Mean, &options);
    same(TrBdf2, &balls::<f64>(40), LockstepNorm::Mean, &options);
    let fixed = SolveOptions::default().fixed_step(0.125).saveat(0.25);
    same(Tsit5, &balls::<f64>(40), LockstepNorm::Greatest, &fixed);
}

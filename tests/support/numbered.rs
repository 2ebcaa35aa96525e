//! The indices of trajectories in the whole ensemble, as the loop reads them.
//!
//! A lane program replaces the integration loop. It makes no steps, and returns each trajectory
//! with its index.

use crate::cpp::in_memory;
use odes::backend::{PreparedSolve, RawResults};
use odes::internals::kernel::{self, KernelArguments, KernelConfig, Target};
use odes::lane::Scalar;
use odes::methods::Method;
use odes::prelude::*;

#[allow(dead_code)]
#[ode_macros::device(numbered)]
mod device {
    use ode_core::integrate::options::{self, Sink, Source};
    use ode_core::lane::{Bits, Mask, Real};

    /// Takes all trajectories and returns them. The lower half of an index is stored as attempted
    /// steps, and the upper half as rejected steps.
    pub(crate) fn numbered<
        R: Real,
        Q: Source<R, N, P> + Sink<R, N, P>,
        const N: usize,
        const P: usize,
    >(
        io: &mut Q,
    ) {
        let zero = R::lit(0.0);
        let none = <R::Bits as Bits>::lit(0);
        let all = <R::Mask as Mask>::splat(true);
        let mut taken = io.acquire(all);
        while io.vote(taken) {
            let number = io.path_number(zero);
            let end = options::end::<R>(zero, none, number[0], number[1], none, none);
            io.finish(taken, [zero; N], end);
            taken = io.acquire(all);
        }
    }
}

#[ode_system]
fn still(_: &[f64; 1]) -> [f64; 1] {
    [0.0]
}

/// Compares the indices of a shard of an ensemble of more than `2^34` trajectories.
///
/// Some of their lower halves are the bits of a NaN in `f32`. `run` executes a text on these
/// arguments.
pub(crate) fn are_counted<T: Scalar>(
    target: Target,
    run: impl FnOnce(&str, &KernelArguments<T>, &[T]),
) {
    const FIRST: u64 = (5 << 32) + 0x7f7f_fe00;
    let problem = OdeProblem::new(still, [0.0], 0.0..=1.0, []).cast::<T>();
    let ensemble = EnsembleProblem::new(problem).trajectories(1500);
    let options = SolveOptions::default();
    let inputs = PreparedSolve::new(&ensemble, &options, &Tsit5::PROPERTIES).unwrap();
    let PreparedSolve { options: settings, inputs: mut columns } = inputs;
    columns.first = FIRST;
    let range = columns.range(FIRST + 200..FIRST + 1203);
    let kernel_config = KernelConfig { target, ..KernelConfig::new(&settings, &columns, true) };
    let text = kernel::source::<T, _, Tsit5, 1, 0>(still, &kernel_config).unwrap();
    let (before, behind) = text.split_once("// What the kernel is compiled for.").unwrap();
    let call = behind.find("integrate::integrate<").unwrap();
    let end = call + behind[call..].find(';').unwrap();
    let text = format!(
        "{before}{}{}numbered::numbered<R, Io<C>, N, P>(io){}",
        device::DEVICE,
        &behind[..call],
        &behind[end..]
    );
    let mut raw = RawResults::default();
    in_memory(&settings, range, &kernel_config, &mut raw, |arguments, shared| {
        run(&text, arguments, shared);
    })
    .unwrap();
    let halves = raw.rejected.iter().zip(&raw.steps);
    let found = halves.map(|(&high, &low)| u64::from(high) << 32 | u64::from(low));
    assert!(found.eq(range.numbers()), "{:?}", raw.steps);
}

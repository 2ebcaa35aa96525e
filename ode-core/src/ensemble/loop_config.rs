//! Loop configurations on lanes of the CPU, and the options of a loop.

use crate::integrate::options::{LoopConfig, Options, SystemConstants};
use crate::lane::{Bits, Real, Scalar};
use crate::methods::Definition;
use crate::problem::inputs::InputRange;
use crate::problem::resolved_options::ResolvedOptions;
use crate::step::stepper::Memory;
use crate::step::{control, norm};
use crate::system::System;
use core::marker::PhantomData;
use ode_macros::inlined;

/// Returns whether a step is compiled as a separate function.
///
/// Explicit methods with a very cheap right-hand side are not: they would lose a fifth of their
/// speed (measured, `bench/HISTORY.md`).
pub(super) const fn steps_are_called<S, M, const N: usize, const P: usize>() -> bool
where
    S: System<N, P>,
    M: Definition,
{
    M::DEFINED.solves > 0 || <M::Memory as Memory>::SWITCHES || S::WEIGHT >= 16
}

/// Broadcasts each number to all lanes.
#[inlined]
fn lits<R: Real, const K: usize>(numbers: &[f32; K]) -> [R; K] {
    let mut lits = [R::lit(0.0); K];
    for i in 0..K {
        lits[i] = R::lit(f64::from(numbers[i]));
    }
    lits
}

/// Returns the options of the lanes that solve `range`.
///
/// `every_step`: whether the end of every step is saved.
#[inlined]
pub fn options<R: Real<Scalar = T>, T: Scalar, const N: usize>(
    settings: &ResolvedOptions<T>,
    range: InputRange<'_, T>,
    every_step: bool,
) -> Options<R, N> {
    let word = |word: u32| <R::Bits as Bits>::lit(u64::from(word));
    // Loops, since array functions that take a closure are not always inlined.
    let mut abstol = [R::lit(0.0); N];
    for d in 0..N {
        abstol[d] = R::lit(range.inputs().abstol(d, settings.lane.abstol).widen());
    }
    Options::<R, N> {
        tolerances: norm::tolerances::<R, N>(abstol, R::lit(settings.lane.reltol.widen())),
        dt: R::lit(settings.lane.dt.widen()),
        dtmin: R::lit(settings.lane.dtmin.widen()),
        dtmax: R::lit(settings.lane.dtmax.widen()),
        limited: settings.limited(),
        stops: settings.stopping,
        every_step,
        law: control::law::<R>(lits::<R::Single, _>(&settings.lane.law)),
        stiff_law: control::law::<R>(lits::<R::Single, _>(&settings.lane.stiff_law)),
        kind: settings.law_kind,
        max_steps: <R::Bits as Bits>::lit(u64::from(settings.lane.max_steps)),
        guard: settings.guard,
        noise_seed: [word(settings.lane.noise[0]), word(settings.lane.noise[1])],
        noise_levels: settings.lane.noise[2],
    }
}

/// The loop configuration of a system `S`, with constants that are parameters of the type.
#[derive(Debug)]
pub(crate) struct StaticConfig<
    S,
    const N: usize,
    const P: usize,
    const ADAPTIVE: bool,
    const SAVES: bool,
    const RECORDS: bool = false,
>(PhantomData<S>);

impl<
    S,
    const N: usize,
    const P: usize,
    const ADAPTIVE: bool,
    const SAVES: bool,
    const RECORDS: bool,
> LoopConfig for StaticConfig<S, N, P, ADAPTIVE, SAVES, RECORDS>
where
    S: System<N, P>,
{
    const ADAPTIVE: bool = ADAPTIVE;
    const SAVES: bool = SAVES;
    const RECORDS: bool = RECORDS;
    const SYSTEM: SystemConstants = SystemConstants::of::<S, N, P>();
}

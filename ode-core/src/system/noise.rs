//! The noise of stochastic differential equations, and its kind.

use crate::lane::{Mask, Real};
use crate::random::path::{NoNodes, Path};
use core::fmt;
use ode_macros::inlined;

/// The noise of a system: functions `g` of `du = f dt + Σ g_j dW_j`, with Wiener processes `W_j`.
///
/// A system without noise has [`NoNoise`].
pub trait Noise<const N: usize, const P: usize>: Copy + Send + Sync + 'static {
    /// The number of Wiener processes.
    const NOISES: usize;
    /// Whether the calculus is Stratonovich's.
    const STRATONOVICH: bool;

    /// The increments `W` and the areas `H` of all processes over an interval.
    type Wiener<R: Real>: Copy + fmt::Debug;

    /// Returns the increments and areas over an interval of a path.
    ///
    /// Without `areas`, the areas may be zeros.
    fn increments<R: Real>(path: &Path<R>, areas: bool) -> Self::Wiener<R>;

    /// The numbers of nodes that adaptive steps store.
    type Nodes<R: Real>: Copy + fmt::Debug;

    /// Returns no nodes.
    fn nodes<R: Real>() -> Self::Nodes<R>;

    /// Prepares the numbers of the lane's node; see [`nodes`](crate::random::nodes).
    fn approach<R: Real>(
        nodes: &mut Self::Nodes<R>,
        path: &Path<R>,
        length: R,
        moved: R::Mask,
        begins: R::Mask,
    ) -> R::Mask;

    /// Returns the increments and areas over an interval that begins with the lane's node.
    fn on_node<R: Real>(nodes: &Self::Nodes<R>, path: &Path<R>) -> Self::Wiener<R>;

    /// Computes `Σ g_j(u, p, t) (a W_j + b H_j)`.
    fn diffuse<R: Real>(u: &[R; N], p: &[R; P], t: R, w: &Self::Wiener<R>, a: R, b: R) -> [R; N];

    /// Computes `½ Σ_jl (g_j · ∇) g_l (W_j W_l - δ_jl h)`, the second term of Milstein's method.
    ///
    /// It is right if the noise is [commutative](NoiseInfo::commutative). `h` is the length of the
    /// step in Itô's calculus, and zero in Stratonovich's.
    fn milstein<R: Real>(u: &[R; N], p: &[R; P], t: R, w: &Self::Wiener<R>, h: R) -> [R; N];

    /// Computes `g` itself, if each component has one process: diagonal and scalar noise.
    fn columns<R: Real>(u: &[R; N], p: &[R; P], t: R) -> [R; N];

    /// Returns the increments, and the areas, of the process of each component.
    ///
    /// For noise that is diagonal or scalar.
    fn of_components<R: Real>(w: &Self::Wiener<R>) -> [[R; N]; 2];

    /// Returns the uniform number of this index in a step, for systems with events.
    #[inlined]
    #[must_use]
    fn uniform<R: Real>(path: &Path<R>, index: R::Bits) -> R {
        let _ = (path, index);
        R::lit(1.0)
    }
}

/// Products of vectors with the derivatives of a system's noise (vector–Jacobian products).
///
/// Each function returns the products with respect to the states, and adds those with respect to
/// the parameters to `by_p`. The vector `by` contains the derivatives of a loss with respect to the
/// results. The increments of the processes count as constants.
pub trait PullBackNoise<const N: usize, const P: usize>: Noise<N, P> {
    /// Computes the products of `by` with the derivatives of [`diffuse`](Noise::diffuse).
    #[allow(clippy::too_many_arguments)]
    fn pull_back_diffuse<R: Real>(
        u: &[R; N],
        p: &[R; P],
        t: R,
        w: &Self::Wiener<R>,
        a: R,
        b: R,
        by: &[R; N],
        by_p: &mut [R; P],
    ) -> [R; N];

    /// Computes the products of `by` with the derivatives of [`milstein`](Noise::milstein).
    fn pull_back_milstein<R: Real>(
        u: &[R; N],
        p: &[R; P],
        t: R,
        w: &Self::Wiener<R>,
        h: R,
        by: &[R; N],
        by_p: &mut [R; P],
    ) -> [R; N];

    /// Computes the products of `by` with the derivatives of [`columns`](Noise::columns).
    fn pull_back_columns<R: Real>(
        u: &[R; N],
        p: &[R; P],
        t: R,
        by: &[R; N],
        by_p: &mut [R; P],
    ) -> [R; N];
}

/// The noise of systems without noise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NoNoise;

impl<const N: usize, const P: usize> Noise<N, P> for NoNoise {
    const NOISES: usize = 0;
    const STRATONOVICH: bool = false;
    type Wiener<R: Real> = ();
    type Nodes<R: Real> = NoNodes;

    #[inlined]
    fn nodes<R: Real>() -> NoNodes {
        NoNodes::nodes::<R>()
    }

    #[inlined]
    fn approach<R: Real>(_: &mut NoNodes, _: &Path<R>, _: R, _: R::Mask, _: R::Mask) -> R::Mask {
        <R::Mask as Mask>::splat(true)
    }

    #[inlined]
    fn on_node<R: Real>(_: &NoNodes, _: &Path<R>) {}

    #[inlined]
    fn increments<R: Real>(_: &Path<R>, _: bool) {}

    #[inlined]
    fn diffuse<R: Real>(_: &[R; N], _: &[R; P], _: R, (): &(), _: R, _: R) -> [R; N] {
        [R::lit(0.0); N]
    }

    #[inlined]
    fn milstein<R: Real>(_: &[R; N], _: &[R; P], _: R, (): &(), _: R) -> [R; N] {
        [R::lit(0.0); N]
    }

    #[inlined]
    fn columns<R: Real>(_: &[R; N], _: &[R; P], _: R) -> [R; N] {
        [R::lit(0.0); N]
    }

    #[inlined]
    fn of_components<R: Real>((): &()) -> [[R; N]; 2] {
        [[R::lit(0.0); N]; 2]
    }
}

impl<const N: usize, const P: usize> PullBackNoise<N, P> for NoNoise {
    #[inlined]
    fn pull_back_diffuse<R: Real>(
        _: &[R; N],
        _: &[R; P],
        _: R,
        (): &(),
        _: R,
        _: R,
        _: &[R; N],
        _: &mut [R; P],
    ) -> [R; N] {
        [R::lit(0.0); N]
    }

    #[inlined]
    fn pull_back_milstein<R: Real>(
        _: &[R; N],
        _: &[R; P],
        _: R,
        (): &(),
        _: R,
        _: &[R; N],
        _: &mut [R; P],
    ) -> [R; N] {
        [R::lit(0.0); N]
    }

    #[inlined]
    fn pull_back_columns<R: Real>(
        _: &[R; N],
        _: &[R; P],
        _: R,
        _: &[R; N],
        _: &mut [R; P],
    ) -> [R; N] {
        [R::lit(0.0); N]
    }
}

/// The calculus that gives a stochastic integral its meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub enum Calculus {
    /// Itô's: `g` is evaluated at the beginning of each interval.
    Ito,
    /// Stratonovich's: the chain rule holds as in ordinary calculus.
    Stratonovich,
}

impl fmt::Display for Calculus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Calculus::Ito => "Itô",
            Calculus::Stratonovich => "Stratonovich",
        })
    }
}

/// The kind of a system's noise, as the compiler proved it from the formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct NoiseInfo {
    /// The number of Wiener processes.
    pub processes: usize,
    /// The calculus that the system is written for.
    pub calculus: Calculus,
    /// Whether `g` does not depend on the state.
    ///
    /// Both calculi then agree.
    pub additive: bool,
    /// Whether each component has a process of its own, and its `g` depends on no other component.
    pub diagonal: bool,
    /// Whether `(g_j · ∇) g_l = (g_l · ∇) g_j` for all pairs of processes.
    ///
    /// Additive, diagonal and scalar noise is commutative. Other noise counts as commutative if the
    /// compiler finds equal formulas on both sides.
    pub commutative: bool,
}

impl NoiseInfo {
    /// Returns whether there is one process.
    #[must_use]
    pub const fn is_scalar(&self) -> bool {
        self.processes == 1
    }
}

/// Writes the calculus, the kind and the number of processes.
impl fmt::Display for NoiseInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self {
            NoiseInfo { additive: true, .. } => "additive",
            NoiseInfo { processes: 1, .. } => "scalar",
            NoiseInfo { diagonal: true, .. } => "diagonal",
            NoiseInfo { commutative: true, .. } => "commutative",
            _ => "general",
        };
        let processes = if self.is_scalar() { "process" } else { "processes" };
        write!(f, "{} noise, {kind}, of {} {processes}", self.calculus, self.processes)
    }
}

/// A lane program with something of everything: the input of the golden file, and, in
/// `tests/compiler/device_rules`, a program that runs.
pub mod sample {
    use odes::lane::{Bits, Mask, Real};
    use odes::system::System;
    /// Stages.
    pub const STAGES: usize = 3;
    /// Weights.
    pub static A: [[f64; 2]; STAGES] = [[0.5, 0.0], [-1.5, 0.25], [1e-3, 2.]];
    const SINGLE: f32 = 0.1;
    /// A derivative.
    pub trait Law<const N: usize> {
        /// How often it is applied.
        const ORDER: usize;
        /// The derivative at `x`.
        fn rhs<R: Real>(x: &[R; N]) -> [R; N];
    }
    /// `x' = -x`.
    #[derive(Clone, Copy, Debug)]
    pub struct Decay;
    impl Law<4> for Decay {
        const ORDER: usize = 2;
        #[inline(always)]
        fn rhs<R: Real>(x: &[R; 4]) -> [R; 4] {
            let mut out = *x;
            {
                #[allow(unused_assignments)]
                {
                    {
                        #[allow(unused_variables)]
                        let i: usize = 0usize;
                        {
                            out[i] = -x[i];
                        }
                    }
                    {
                        #[allow(unused_variables)]
                        let i: usize = 1usize;
                        {
                            out[i] = -x[i];
                        }
                    }
                    {
                        #[allow(unused_variables)]
                        let i: usize = 2usize;
                        {
                            out[i] = -x[i];
                        }
                    }
                    {
                        #[allow(unused_variables)]
                        let i: usize = 3usize;
                        {
                            out[i] = -x[i];
                        }
                    }
                };
            }
            out
        }
    }
    /// What a step gives.
    ///
    /// Only the first line goes into the C++.
    #[derive(Clone, Copy, Debug)]
    pub struct Step<R: Real, const N: usize> {
        /// The state.
        pub u: [R; N],
        /// Whether it counts.
        pub accept: R::Mask,
    }
    /// Calls what stands below it.
    #[inline(always)]
    pub fn rule<R: Real>(x: &[R; 4]) -> [R; 4] {
        let mut u = *x;
        let mut rounds = 0u32;
        while rounds < 2u32 {
            let step = step::<R, Decay, 4, true>(&u, R::lit(SINGLE as f64));
            u = choose(step.accept, &step.u, &u);
            rounds += 1u32;
        }
        let odd = <R::Bits as Bits>::lit(1);
        u[3] = R::from_bits((u[3].to_bits() & !odd).wrapping_add(odd.shl::<1>()));
        u
    }
    /// One step. The names are words of C++, or bound again.
    #[inline(always)]
    fn step<R: Real, L: Law<N>, const N: usize, const LIMITED: bool>(
        u: &[R; N],
        double: R,
    ) -> Step<R, N> {
        let mut new = *u;
        {
            let mut next: usize = 0;
            while next < L::ORDER {
                let s = next;
                next = next.wrapping_add(1);
                {
                    let k = L::rhs(&new);
                    {
                        let mut next: usize = 0;
                        while next < N {
                            let d = next;
                            next = next.wrapping_add(1);
                            {
                                let weight = double * R::lit(A[s][0]);
                                let weight = weight * weight;
                                new[d] = k[d].mul_add(weight, new[d]);
                            }
                        }
                    }
                }
            }
        }
        let level = level(new[0]);
        let factor = if R::DOUBLE { R::lit(0.75) } else { level };
        let factor = {
            let half = R::lit(0.5);
            factor * half
        };
        let accept = level.le(factor)
            | !level.gt(R::lit(1.0)) & <R::Mask as Mask>::splat(true);
        if LIMITED && const { N > 2 } {
            new[N - 1] = new[N - 1].at_most(R::lit(1e3)).exp();
        } else {
            slow(&mut new, level);
        }
        Step::<R, N> { accept, u: new }
    }
    #[inline(always)]
    fn level<R: Real>(x: R) -> R {
        let small = x.abs().lt(R::lit(1e-6));
        if small.any() { R::select(small, R::lit(1e-6), x) } else { x }
    }
    /// Seldom needed.
    #[inline(never)]
    fn slow<R: Real, const N: usize>(x: &mut [R; N], by: R) {
        R::outline_cold(
            #[inline(always)]
            || {
                if const { N > 4 } {
                    let mut next: usize = 0;
                    while next < 2 {
                        let i = next;
                        next = next.wrapping_add(1);
                        {
                            {
                                let mut next: usize = i;
                                while next < 2 {
                                    let j = next;
                                    next = next.wrapping_add(1);
                                    {
                                        if j < N {
                                            x[j] = x[j] * by;
                                        }
                                    }
                                }
                            }
                        }
                    }
                } else {
                    #[allow(unused_assignments)]
                    {
                        {
                            #[allow(unused_variables)]
                            let i: usize = 0usize;
                            {
                                {
                                    #[allow(unused_assignments)]
                                    {
                                        {
                                            #[allow(unused_variables)]
                                            let j: usize = 0usize;
                                            {
                                                if j < N {
                                                    x[j] = x[j] * by;
                                                }
                                            }
                                        }
                                        {
                                            #[allow(unused_variables)]
                                            let j: usize = 1usize;
                                            {
                                                if j < N {
                                                    x[j] = x[j] * by;
                                                }
                                            }
                                        }
                                    };
                                }
                            }
                        }
                        {
                            #[allow(unused_variables)]
                            let i: usize = 1usize;
                            {
                                {
                                    #[allow(unused_assignments)]
                                    {
                                        {
                                            #[allow(unused_variables)]
                                            let j: usize = 1usize;
                                            {
                                                if j < N {
                                                    x[j] = x[j] * by;
                                                }
                                            }
                                        }
                                    };
                                }
                            }
                        }
                    };
                }
            },
        )
    }
    /// `a` where the mask is true, else `b`.
    #[inline(always)]
    fn choose<R: Real, const N: usize>(mask: R::Mask, a: &[R; N], b: &[R; N]) -> [R; N] {
        let mut out = [R::lit(0.0); N];
        {
            let mut next: usize = 0;
            while next < N {
                let d = next;
                next = next.wrapping_add(1);
                {
                    out[d] = R::select(mask, a[d], b[d]);
                }
            }
        }
        out
    }
    /// A value of a parameter's type, and a type that belongs to it, with arguments of its own.
    #[allow(dead_code)]
    #[inline(always)]
    pub fn solved<R: Real, S: System<N, P>, const N: usize, const P: usize>(
        system: S,
        w: &S::Factors<R>,
        b: &[R; N],
    ) -> [R; N] {
        system.solve(w, b)
    }
}

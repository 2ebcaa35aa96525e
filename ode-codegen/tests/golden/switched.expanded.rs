/// A forced oscillator whose friction sets in above a speed.
#[cfg(feature = "oscillators")]
#[allow(clippy::approx_constant)]
#[allow(non_camel_case_types)]
#[derive(
    ::core::clone::Clone,
    ::core::marker::Copy,
    ::core::fmt::Debug,
    ::core::default::Default,
    ::core::cmp::PartialEq,
    ::core::cmp::Eq,
)]
pub(crate) struct switched;
#[cfg(feature = "oscillators")]
#[allow(deprecated)]
const _: () = {
    #[allow(dead_code, non_snake_case)]
    fn switched() {}
    impl switched {
        /// The right-hand side as it was written, compiled by rustc.
        #[allow(clippy::approx_constant)]
        #[allow(clippy::needless_range_loop, clippy::trivially_copy_pass_by_ref)]
        #[allow(dead_code, clippy::must_use_candidate)]
        pub(crate) fn call(du: &mut [f64; 2], u: &[f64; 2], _: &[f64; 0], t: f64) {
            use crate::constants::STIFFNESS;
            const THRESHOLD: f64 = 0.25;
            let [x, v] = *u;
            let friction = if v.abs() > THRESHOLD && x != 0.0 {
                crate::constants::FRICTION * (v * v).exp()
            } else {
                0.0
            };
            du[0] = v;
            du[1] = (std::f64::consts::TAU * t).cos() - STIFFNESS * x - friction;
        }
    }
};
#[cfg(feature = "oscillators")]
#[allow(
    deprecated,
    trivial_numeric_casts,
    unused_variables,
    clippy::all,
    clippy::pedantic
)]
const _: () = {
    use ::odes::__private::{
        Rhs as __Rhs, Linearised as __Linearised, MassMatrix as __MassMatrix,
        Domain as __Domain, Observe as __Observe, Events as __Events,
        TimeBreaks as __TimeBreaks, DeviceSource as __DeviceSource,
        LinearEquations as __LinearEquations, Operations as __Operations, Real as __Real,
        Scalar as __Scalar, System as __System, SystemInfo as __SystemInfo,
    };
    #[allow(unused_imports)]
    use crate::constants::STIFFNESS;
    #[allow(non_upper_case_globals)]
    const __constant0_FRICTION: f64 = crate::constants::FRICTION as f64;
    #[allow(non_upper_case_globals)]
    const __constant1_STIFFNESS: f64 = STIFFNESS as f64;
    #[automatically_derived]
    impl __Rhs<2, 0> for switched {
        const AUTONOMOUS: bool = false;
        const STEPWISE: bool = false;
        const BOUNDS: usize = 0;
        const WEIGHT: u32 = __Operations::new([1, 3, 1, 0, 2, 5]).weight();
        #[inline(always)]
        fn rhs<R: __Real>(&self, __u: &[R; 2], __p: &[R; 0], __t: R) -> [R; 2] {
            let __v0 = __u[1].abs();
            let __m0 = __v0.gt(R::lit(0.25));
            let __m1 = __u[0].equals(R::lit(0.0));
            let __m2 = !__m1;
            let __m3 = __m0 & __m2;
            let __v1 = __u[1].mul_ref(&__u[1]);
            let __v2 = __v1.exp();
            let __v3 = R::lit(__constant0_FRICTION).mul_ref(&__v2);
            let __v4 = R::select(__m3, __v3, R::lit(0.0));
            let __v5 = R::lit(6.283185307179586).mul_ref(&__t);
            let __v6 = __v5.cos();
            let __v7 = R::lit(__constant1_STIFFNESS).neg_mul_add_ref(&__u[0], &__v6);
            let __v8 = __v7.sub_ref(&__v4);
            [__u[1], __v8]
        }
    }
    #[automatically_derived]
    impl __Linearised<2, 0> for switched {
        type Factors<R: __Real> = [R; 4];
        #[inline(always)]
        fn jacobian<R: __Real>(
            &self,
            __u: &[R; 2],
            __p: &[R; 0],
            __t: R,
        ) -> [[R; 2]; 2] {
            let __zero = R::lit(0.0);
            let __v0 = __u[1].abs();
            let __m0 = __v0.gt(R::lit(0.25));
            let __m1 = __u[0].equals(R::lit(0.0));
            let __m2 = !__m1;
            let __m3 = __m0 & __m2;
            let __v1 = __u[1].mul_ref(&__u[1]);
            let __v2 = __v1.exp();
            let __v3 = __u[1].add_ref(&__u[1]);
            let __v4 = __v3.mul_ref(&__v2);
            let __v5 = __v4.mul_ref(&R::lit(__constant0_FRICTION));
            let __v6 = R::select(__m3, __v5, R::lit(0.0));
            [[__zero, R::lit(1.0)], [-R::lit(__constant1_STIFFNESS), -__v6]]
        }
        #[inline(always)]
        fn parameter_jacobian<R: __Real>(
            &self,
            __u: &[R; 2],
            __p: &[R; 0],
            __t: R,
        ) -> [[R; 0]; 2] {
            [[], []]
        }
        #[inline(always)]
        fn time_gradient<R: __Real>(
            &self,
            __u: &[R; 2],
            __p: &[R; 0],
            __t: R,
        ) -> [R; 2] {
            let __zero = R::lit(0.0);
            let __v0 = R::lit(6.283185307179586).mul_ref(&__t);
            let __v1 = __v0.sin();
            let __v2 = R::lit(6.283185307179586).mul_ref(&__v1);
            [__zero, -__v2]
        }
        #[inline(always)]
        fn factor<R: __Real>(
            &self,
            __u: &[R; 2],
            __p: &[R; 0],
            __t: R,
            __scale: R,
        ) -> [R; 4] {
            let __v0 = __scale.reciprocal();
            let __v1 = __u[1].mul_ref(&__u[1]);
            let __v2 = __v1.exp();
            let __v3 = __u[1].add_ref(&__u[1]);
            let __v4 = __v3.mul_ref(&__v2);
            let __v5 = __v4.mul_ref(&R::lit(__constant0_FRICTION));
            let __m0 = __u[0].equals(R::lit(0.0));
            let __m1 = !__m0;
            let __v6 = __u[1].abs();
            let __m2 = __v6.gt(R::lit(0.25));
            let __m3 = __m2 & __m1;
            let __v7 = R::select(__m3, __v5, R::lit(0.0));
            let __v8 = __scale.add_ref(&__v7);
            let __v9 = R::lit(__constant1_STIFFNESS).mul_ref(&__v0);
            let __v10 = __v8.add_ref(&__v9);
            let __v11 = __v10.reciprocal();
            [__v0, R::lit(-1.0), __v9, __v11]
        }
        #[inline(always)]
        fn solve<R: __Real>(&self, __w: &[R; 4], __b: &[R; 2]) -> [R; 2] {
            let __v0 = __w[2].neg_mul_add_ref(&__b[0], &__b[1]);
            let __v1 = __v0.mul_ref(&__w[3]);
            let __v2 = __w[1].neg_mul_add_ref(&__v1, &__b[0]);
            let __v3 = __v2.mul_ref(&__w[0]);
            [__v3, __v1]
        }
        #[inline(always)]
        fn negative<R: __Real>(&self, __w: &[R; 4]) -> R::Mask {
            let __signs = __w[0].to_bits() ^ __w[3].to_bits();
            R::lit(1.0).copysign(R::from_bits(__signs)).lt(R::lit(0.0))
        }
    }
    #[automatically_derived]
    impl __MassMatrix<2> for switched {
        const MASS: bool = false;
        const ALGEBRAIC: usize = 0;
    }
    #[automatically_derived]
    impl __Domain<2, 0> for switched {
        const HAS_DOMAIN: bool = false;
    }
    #[automatically_derived]
    impl __Observe<2, 0> for switched {
        const OBSERVABLES: usize = 0;
    }
    #[automatically_derived]
    impl __Events<2, 0> for switched {
        const EVENTS: usize = 0;
        const RISING: usize = 0;
        const FALLING: usize = 0;
        const ACTING: usize = 0;
        const DELAYED: usize = 0;
        const LOGGED: usize = 0;
        const NO_JUMPS: usize = 0;
        const CONDITIONS: usize = 0;
        const CONDITIONS_ACTING: usize = 0;
        const CONDITIONS_LOGGED: usize = 0;
        const TIMED: usize = 0;
        const TIMED_LOGGED: usize = 0;
        const JUMPS: usize = 0;
        const JUMPS_ACTING: usize = 0;
        const JUMPS_LOGGED: usize = 0;
        const MODES: usize = 0;
        const FIRST_MODE: usize = 0;
    }
    #[automatically_derived]
    impl __TimeBreaks<0> for switched {}
    #[automatically_derived]
    impl __System<2, 0> for switched {
        type State<__T: __Scalar> = [__T; 2];
        type Parameters<__T: __Scalar> = [__T; 0];
        type Noise = ::odes::__private::NoNoise;
        fn info(&self) -> &'static __SystemInfo {
            const INFO: &__SystemInfo = &__SystemInfo {
                name: "switched",
                states: &["x", "v"],
                parameters: &[],
                observables: &[],
                events: &[],
                features: &[],
                modes: &[],
                noise: ::core::option::Option::None,
                jacobian_pattern: &[(0, 1), (1, 0), (1, 1)],
                parameter_pattern: &[],
                time_pattern: &[1],
                time_breaks: &[],
                parameter_breaks: &[],
                moving_time_breaks: false,
                more_time_breaks: false,
                poles: &[],
                growing: &[],
                steep: &[],
                jumps: &[],
                operations: [
                    __Operations::new([1, 3, 1, 0, 2, 5]),
                    __Operations::new([1, 3, 0, 0, 1, 5]),
                    __Operations::new([0, 0, 0, 0, 0, 0]),
                    __Operations::new([0, 2, 0, 0, 1, 0]),
                ],
                written: 13,
                shared: 0,
                linear: __LinearEquations::Nonzeros {
                    factor: __Operations::new([3, 4, 0, 0, 3, 5]),
                    solve: __Operations::new([0, 2, 2, 0, 0, 0]),
                },
            };
            INFO
        }
        fn rust_source(&self) -> &'static str {
            "fn rhs<R: Real>(&self, u: &[R; 2], p: &[R; 0], t: R) -> [R; 2] {\n    let v0 = u[1].abs();\n    let m0 = v0.gt(R::lit(0.25));\n    let m1 = u[0].equals(R::lit(0.0));\n    let m2 = !m1;\n    let m3 = m0 & m2;\n    let v1 = u[1].mul_ref(&u[1]);\n    let v2 = v1.exp();\n    let v3 = R::lit(constant0_FRICTION).mul_ref(&v2);\n    let v4 = R::select(m3, v3, R::lit(0.0));\n    let v5 = R::lit(6.283185307179586).mul_ref(&t);\n    let v6 = v5.cos();\n    let v7 = R::lit(constant1_STIFFNESS).neg_mul_add_ref(&u[0], &v6);\n    let v8 = v7.sub_ref(&v4);\n    [u[1], v8]\n}\nfn jacobian<R: Real>(&self, u: &[R; 2], p: &[R; 0], t: R) -> [[R; 2]; 2] {\n    let zero = R::lit(0.0);\n    let v0 = u[1].abs();\n    let m0 = v0.gt(R::lit(0.25));\n    let m1 = u[0].equals(R::lit(0.0));\n    let m2 = !m1;\n    let m3 = m0 & m2;\n    let v1 = u[1].mul_ref(&u[1]);\n    let v2 = v1.exp();\n    let v3 = u[1].add_ref(&u[1]);\n    let v4 = v3.mul_ref(&v2);\n    let v5 = v4.mul_ref(&R::lit(constant0_FRICTION));\n    let v6 = R::select(m3, v5, R::lit(0.0));\n    [[zero, R::lit(1.0)], [-R::lit(constant1_STIFFNESS), -v6]]\n}\nfn parameter_jacobian<R: Real>(&self, u: &[R; 2], p: &[R; 0], t: R) -> [[R; 0]; 2] {\n    [[], []]\n}\nfn time_gradient<R: Real>(&self, u: &[R; 2], p: &[R; 0], t: R) -> [R; 2] {\n    let zero = R::lit(0.0);\n    let v0 = R::lit(6.283185307179586).mul_ref(&t);\n    let v1 = v0.sin();\n    let v2 = R::lit(6.283185307179586).mul_ref(&v1);\n    [zero, -v2]\n}\nfn factor<R: Real>(&self, u: &[R; 2], p: &[R; 0], t: R, scale: R) -> [R; 4] {\n    let v0 = scale.reciprocal();\n    let v1 = u[1].mul_ref(&u[1]);\n    let v2 = v1.exp();\n    let v3 = u[1].add_ref(&u[1]);\n    let v4 = v3.mul_ref(&v2);\n    let v5 = v4.mul_ref(&R::lit(constant0_FRICTION));\n    let m0 = u[0].equals(R::lit(0.0));\n    let m1 = !m0;\n    let v6 = u[1].abs();\n    let m2 = v6.gt(R::lit(0.25));\n    let m3 = m2 & m1;\n    let v7 = R::select(m3, v5, R::lit(0.0));\n    let v8 = scale.add_ref(&v7);\n    let v9 = R::lit(constant1_STIFFNESS).mul_ref(&v0);\n    let v10 = v8.add_ref(&v9);\n    let v11 = v10.reciprocal();\n    [v0, R::lit(-1.0), v9, v11]\n}\nfn solve<R: Real>(&self, w: &[R; 4], b: &[R; 2]) -> [R; 2] {\n    let v0 = w[2].neg_mul_add_ref(&b[0], &b[1]);\n    let v1 = v0.mul_ref(&w[3]);\n    let v2 = w[1].neg_mul_add_ref(&v1, &b[0]);\n    let v3 = v2.mul_ref(&w[0]);\n    [v3, v1]\n}\n"
        }
        fn device_source(&self) -> ::core::option::Option<__DeviceSource> {
            let mut __text = ::std::string::String::new();
            __text
                .push_str(
                    "struct System {\n    static constexpr bool AUTONOMOUS = false;\n    static constexpr bool STEPWISE = false;\n    static constexpr int BOUNDS = 0;\n    static constexpr bool MASS = false;\n    static constexpr int ALGEBRAIC = 0;\n    static constexpr bool HAS_DOMAIN = false;\n    static constexpr int OBSERVABLES = 0;\n    static constexpr int EVENTS = 0;\n    static constexpr int RISING = 0;\n    static constexpr int FALLING = 0;\n    static constexpr int ACTING = 0;\n    static constexpr int DELAYED = 0;\n    static constexpr int LOGGED = 0;\n    static constexpr int NO_JUMPS = 0;\n    static constexpr int CONDITIONS = 0;\n    static constexpr int CONDITIONS_ACTING = 0;\n    static constexpr int CONDITIONS_LOGGED = 0;\n    static constexpr int TIMED = 0;\n    static constexpr int TIMED_LOGGED = 0;\n    static constexpr int JUMPS = 0;\n    static constexpr int JUMPS_ACTING = 0;\n    static constexpr int JUMPS_LOGGED = 0;\n    static constexpr int MODES = 0;\n    static constexpr int FIRST_MODE = 0;\n    typedef path::NoNodes Noise;\n    template<class R> using Factors = Arr<R, 4>;\n",
                );
            __text
                .push_str(
                    &::odes::__private::device_constant(
                        "constant0_FRICTION",
                        __constant0_FRICTION,
                    ),
                );
            __text
                .push_str(
                    &::odes::__private::device_constant(
                        "constant1_STIFFNESS",
                        __constant1_STIFFNESS,
                    ),
                );
            __text
                .push_str(
                    "\n    template<class R> static DEVICE Arr<R, 2> rhs(const Arr<R, 2>& u, const Arr<R, 0>& p, R t) {\n        auto v0 = m_abs(u[1]);\n        auto m0 = m_gt(v0, Real<R>::lit(0.25));\n        auto m1 = m_equals(u[0], Real<R>::lit(0.0));\n        auto m2 = op_not(m1);\n        auto m3 = op_and(m0, m2);\n        auto v1 = (u[1] * u[1]);\n        auto v2 = math::exp(v1);\n        auto v3 = (Real<R>::lit(constant0_FRICTION) * v2);\n        auto v4 = Real<R>::select(m3, v3, Real<R>::lit(0.0));\n        auto v5 = (Real<R>::lit(6.283185307179586) * t);\n        auto v6 = math::cos(v5);\n        auto v7 = m_mul_add((-Real<R>::lit(constant1_STIFFNESS)), u[0], v6);\n        auto v8 = (v7 - v4);\n        return array(u[1], v8);\n    }\n    template<class R> static DEVICE Arr<Arr<R, 2>, 2> jacobian(const Arr<R, 2>& u, const Arr<R, 0>& p, R t) {\n        auto zero = Real<R>::lit(0.0);\n        auto v0 = m_abs(u[1]);\n        auto m0 = m_gt(v0, Real<R>::lit(0.25));\n        auto m1 = m_equals(u[0], Real<R>::lit(0.0));\n        auto m2 = op_not(m1);\n        auto m3 = op_and(m0, m2);\n        auto v1 = (u[1] * u[1]);\n        auto v2 = math::exp(v1);\n        auto v3 = (u[1] + u[1]);\n        auto v4 = (v3 * v2);\n        auto v5 = (v4 * Real<R>::lit(constant0_FRICTION));\n        auto v6 = Real<R>::select(m3, v5, Real<R>::lit(0.0));\n        return array(array(zero, Real<R>::lit(1.0)), array((-Real<R>::lit(constant1_STIFFNESS)), (-v6)));\n    }\n    template<class R> static DEVICE Arr<R, 2> time_gradient(const Arr<R, 2>& u, const Arr<R, 0>& p, R t) {\n        auto zero = Real<R>::lit(0.0);\n        auto v0 = (Real<R>::lit(6.283185307179586) * t);\n        auto v1 = math::sin(v0);\n        auto v2 = (Real<R>::lit(6.283185307179586) * v1);\n        return array(zero, (-v2));\n    }\n    template<class R> static DEVICE Arr<R, 4> factor(const Arr<R, 2>& u, const Arr<R, 0>& p, R t, R scale) {\n        auto v0 = m_reciprocal(scale);\n        auto v1 = (u[1] * u[1]);\n        auto v2 = math::exp(v1);\n        auto v3 = (u[1] + u[1]);\n        auto v4 = (v3 * v2);\n        auto v5 = (v4 * Real<R>::lit(constant0_FRICTION));\n        auto m0 = m_equals(u[0], Real<R>::lit(0.0));\n        auto m1 = op_not(m0);\n        auto v6 = m_abs(u[1]);\n        auto m2 = m_gt(v6, Real<R>::lit(0.25));\n        auto m3 = op_and(m2, m1);\n        auto v7 = Real<R>::select(m3, v5, Real<R>::lit(0.0));\n        auto v8 = (scale + v7);\n        auto v9 = (Real<R>::lit(constant1_STIFFNESS) * v0);\n        auto v10 = (v8 + v9);\n        auto v11 = m_reciprocal(v10);\n        return array(v0, Real<R>::lit((-1.0)), v9, v11);\n    }\n    template<class R> static DEVICE Arr<R, 2> solve(const Arr<R, 4>& w, const Arr<R, 2>& b) {\n        auto v0 = m_mul_add((-w[2]), b[0], b[1]);\n        auto v1 = (v0 * w[3]);\n        auto v2 = m_mul_add((-w[1]), v1, b[0]);\n        auto v3 = (v2 * w[0]);\n        return array(v3, v1);\n    }\n    template<class R> static DEVICE typename Real<R>::Mask negative(const Arr<R, 4>& w) {\n        auto signs = op_xor(m_to_bits(w[0]), m_to_bits(w[3]));\n        return m_lt(m_copysign(Real<R>::lit(1.0), Real<R>::from_bits(signs)), Real<R>::lit(0.0));\n    }\n    template<class R> static DEVICE R row_sum(const Arr<R, 2>& u, const Arr<R, 0>& p, R t) {\n        auto matrix = System::jacobian<R>(u, p, t);\n        auto greatest = Real<R>::lit(0.0);\n        UNROLL for (int i = 0; i < 2; i++) {\n            auto sum = Real<R>::lit(0.0);\n            UNROLL for (int j = 0; j < 2; j++) {\n                sum = (sum + m_abs(matrix[i][j]));\n            }\n            greatest = m_max(greatest, sum);\n        }\n        return greatest;\n    }\n};\n",
                );
            ::core::option::Option::Some(unsafe {
                __DeviceSource::new(__text, [2, 0, 0])
            })
        }
    }
};
#[cfg(feature = "oscillators")]
impl switched {
    /// What the compiler made of this system.
    #[allow(dead_code)]
    #[must_use]
    pub(crate) fn report() -> ::odes::__private::Report {
        ::odes::__private::Report::of::<Self, 2, 0>(&switched)
    }
}

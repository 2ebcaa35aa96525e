/// Lorenz (1963).
#[allow(non_camel_case_types)]
#[derive(
    ::core::clone::Clone,
    ::core::marker::Copy,
    ::core::fmt::Debug,
    ::core::default::Default,
    ::core::cmp::PartialEq,
    ::core::cmp::Eq,
)]
pub struct lorenz;
#[allow(deprecated)]
const _: () = {
    #[allow(dead_code, non_snake_case)]
    fn lorenz() {}
    impl lorenz {
        /// The right-hand side as it was written, compiled by rustc.
        #[allow(clippy::needless_range_loop, clippy::trivially_copy_pass_by_ref)]
        #[allow(dead_code, clippy::must_use_candidate)]
        pub fn call(du: &mut [f64; 3], u: &[f64; 3], p: &[f64; 3], _t: f64) {
            let [x, y, z] = *u;
            let [sigma, rho, beta] = *p;
            du[0] = sigma * (y - x);
            du[1] = x * (rho - z) - y;
            du[2] = x * y - beta * z;
        }
    }
};
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
    #[automatically_derived]
    impl __Rhs<3, 3> for lorenz {
        const AUTONOMOUS: bool = true;
        const STEPWISE: bool = false;
        const BOUNDS: usize = 0;
        const WEIGHT: u32 = __Operations::new([2, 2, 2, 0, 0, 0]).weight();
        #[inline(always)]
        fn rhs<R: __Real>(&self, __u: &[R; 3], __p: &[R; 3], __t: R) -> [R; 3] {
            let __v0 = __u[1].sub_ref(&__u[0]);
            let __v1 = __p[0].mul_ref(&__v0);
            let __v2 = __p[1].sub_ref(&__u[2]);
            let __v3 = __u[0].mul_add_ref(&__v2, &-__u[1]);
            let __v4 = __u[0].mul_ref(&__u[1]);
            let __v5 = __p[2].neg_mul_add_ref(&__u[2], &__v4);
            [__v1, __v3, __v5]
        }
    }
    #[automatically_derived]
    impl __Linearised<3, 3> for lorenz {
        type Factors<R: __Real> = [R; 8];
        #[inline(always)]
        fn jacobian<R: __Real>(
            &self,
            __u: &[R; 3],
            __p: &[R; 3],
            __t: R,
        ) -> [[R; 3]; 3] {
            let __zero = R::lit(0.0);
            let __v0 = __p[1].sub_ref(&__u[2]);
            [
                [-__p[0], __p[0], __zero],
                [__v0, R::lit(-1.0), -__u[0]],
                [__u[1], __u[0], -__p[2]],
            ]
        }
        #[inline(always)]
        fn parameter_jacobian<R: __Real>(
            &self,
            __u: &[R; 3],
            __p: &[R; 3],
            __t: R,
        ) -> [[R; 3]; 3] {
            let __zero = R::lit(0.0);
            let __v0 = __u[1].sub_ref(&__u[0]);
            [[__v0, __zero, __zero], [__zero, __u[0], __zero], [__zero, __zero, -__u[2]]]
        }
        #[inline(always)]
        fn time_gradient<R: __Real>(
            &self,
            __u: &[R; 3],
            __p: &[R; 3],
            __t: R,
        ) -> [R; 3] {
            let __zero = R::lit(0.0);
            [__zero, __zero, __zero]
        }
        #[inline(always)]
        fn factor<R: __Real>(
            &self,
            __u: &[R; 3],
            __p: &[R; 3],
            __t: R,
            __scale: R,
        ) -> [R; 8] {
            let __v0 = __scale.add_ref(&__p[0]);
            let __v1 = __v0.reciprocal();
            let __v2 = __p[1].sub_ref(&__u[2]);
            let __v3 = __scale.sub_ref(&R::lit(-1.0));
            let __v4 = __v2.mul_ref(&__v1);
            let __v5 = __v4.neg_mul_add_ref(&__p[0], &__v3);
            let __v6 = __v5.reciprocal();
            let __v7 = __scale.add_ref(&__p[2]);
            let __v8 = __u[1].mul_ref(&__v1);
            let __v9 = __v8.neg_mul_add_ref(&__p[0], &-__u[0]);
            let __v10 = __v9.mul_ref(&__v6);
            let __v11 = __v10.neg_mul_add_ref(&__u[0], &__v7);
            let __v12 = __v11.reciprocal();
            [__v1, -__p[0], -__v4, __v6, __u[0], -__v8, __v10, __v12]
        }
        #[inline(always)]
        fn solve<R: __Real>(&self, __w: &[R; 8], __b: &[R; 3]) -> [R; 3] {
            let __v0 = __w[2].neg_mul_add_ref(&__b[0], &__b[1]);
            let __v1 = __w[5].neg_mul_add_ref(&__b[0], &__b[2]);
            let __v2 = __w[6].neg_mul_add_ref(&__v0, &__v1);
            let __v3 = __v2.mul_ref(&__w[7]);
            let __v4 = __w[4].neg_mul_add_ref(&__v3, &__v0);
            let __v5 = __v4.mul_ref(&__w[3]);
            let __v6 = __w[1].neg_mul_add_ref(&__v5, &__b[0]);
            let __v7 = __v6.mul_ref(&__w[0]);
            [__v7, __v5, __v3]
        }
        #[inline(always)]
        fn negative<R: __Real>(&self, __w: &[R; 8]) -> R::Mask {
            let __signs = __w[0].to_bits() ^ __w[3].to_bits() ^ __w[7].to_bits();
            R::lit(1.0).copysign(R::from_bits(__signs)).lt(R::lit(0.0))
        }
    }
    #[automatically_derived]
    impl __MassMatrix<3> for lorenz {
        const MASS: bool = false;
        const ALGEBRAIC: usize = 0;
    }
    #[automatically_derived]
    impl __Domain<3, 3> for lorenz {
        const HAS_DOMAIN: bool = false;
    }
    #[automatically_derived]
    impl __Observe<3, 3> for lorenz {
        const OBSERVABLES: usize = 0;
    }
    #[automatically_derived]
    impl __Events<3, 3> for lorenz {
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
    impl __TimeBreaks<3> for lorenz {}
    #[automatically_derived]
    impl __System<3, 3> for lorenz {
        type State<__T: __Scalar> = [__T; 3];
        type Parameters<__T: __Scalar> = [__T; 3];
        type Noise = ::odes::__private::NoNoise;
        fn info(&self) -> &'static __SystemInfo {
            const INFO: &__SystemInfo = &__SystemInfo {
                name: "lorenz",
                states: &["x", "y", "z"],
                parameters: &["sigma", "rho", "beta"],
                observables: &[],
                events: &[],
                features: &[],
                modes: &[],
                noise: ::core::option::Option::None,
                jacobian_pattern: &[
                    (0, 0),
                    (0, 1),
                    (1, 0),
                    (1, 1),
                    (1, 2),
                    (2, 0),
                    (2, 1),
                    (2, 2),
                ],
                parameter_pattern: &[(0, 0), (1, 1), (2, 2)],
                time_pattern: &[],
                time_breaks: &[],
                parameter_breaks: &[],
                moving_time_breaks: false,
                more_time_breaks: false,
                poles: &[],
                growing: &[],
                steep: &[],
                jumps: &[],
                operations: [
                    __Operations::new([2, 2, 2, 0, 0, 0]),
                    __Operations::new([1, 0, 0, 0, 0, 0]),
                    __Operations::new([1, 0, 0, 0, 0, 0]),
                    __Operations::new([0, 0, 0, 0, 0, 0]),
                ],
                written: 8,
                shared: 0,
                linear: __LinearEquations::Nonzeros {
                    factor: __Operations::new([4, 3, 3, 0, 3, 0]),
                    solve: __Operations::new([0, 3, 5, 0, 0, 0]),
                },
            };
            INFO
        }
        fn rust_source(&self) -> &'static str {
            "fn rhs<R: Real>(&self, u: &[R; 3], p: &[R; 3], t: R) -> [R; 3] {\n    let v0 = u[1].sub_ref(&u[0]);\n    let v1 = p[0].mul_ref(&v0);\n    let v2 = p[1].sub_ref(&u[2]);\n    let v3 = u[0].mul_add_ref(&v2, &-u[1]);\n    let v4 = u[0].mul_ref(&u[1]);\n    let v5 = p[2].neg_mul_add_ref(&u[2], &v4);\n    [v1, v3, v5]\n}\nfn jacobian<R: Real>(&self, u: &[R; 3], p: &[R; 3], t: R) -> [[R; 3]; 3] {\n    let zero = R::lit(0.0);\n    let v0 = p[1].sub_ref(&u[2]);\n    [[-p[0], p[0], zero], [v0, R::lit(-1.0), -u[0]], [u[1], u[0], -p[2]]]\n}\nfn parameter_jacobian<R: Real>(&self, u: &[R; 3], p: &[R; 3], t: R) -> [[R; 3]; 3] {\n    let zero = R::lit(0.0);\n    let v0 = u[1].sub_ref(&u[0]);\n    [[v0, zero, zero], [zero, u[0], zero], [zero, zero, -u[2]]]\n}\nfn time_gradient<R: Real>(&self, u: &[R; 3], p: &[R; 3], t: R) -> [R; 3] {\n    let zero = R::lit(0.0);\n    [zero, zero, zero]\n}\nfn factor<R: Real>(&self, u: &[R; 3], p: &[R; 3], t: R, scale: R) -> [R; 8] {\n    let v0 = scale.add_ref(&p[0]);\n    let v1 = v0.reciprocal();\n    let v2 = p[1].sub_ref(&u[2]);\n    let v3 = scale.sub_ref(&R::lit(-1.0));\n    let v4 = v2.mul_ref(&v1);\n    let v5 = v4.neg_mul_add_ref(&p[0], &v3);\n    let v6 = v5.reciprocal();\n    let v7 = scale.add_ref(&p[2]);\n    let v8 = u[1].mul_ref(&v1);\n    let v9 = v8.neg_mul_add_ref(&p[0], &-u[0]);\n    let v10 = v9.mul_ref(&v6);\n    let v11 = v10.neg_mul_add_ref(&u[0], &v7);\n    let v12 = v11.reciprocal();\n    [v1, -p[0], -v4, v6, u[0], -v8, v10, v12]\n}\nfn solve<R: Real>(&self, w: &[R; 8], b: &[R; 3]) -> [R; 3] {\n    let v0 = w[2].neg_mul_add_ref(&b[0], &b[1]);\n    let v1 = w[5].neg_mul_add_ref(&b[0], &b[2]);\n    let v2 = w[6].neg_mul_add_ref(&v0, &v1);\n    let v3 = v2.mul_ref(&w[7]);\n    let v4 = w[4].neg_mul_add_ref(&v3, &v0);\n    let v5 = v4.mul_ref(&w[3]);\n    let v6 = w[1].neg_mul_add_ref(&v5, &b[0]);\n    let v7 = v6.mul_ref(&w[0]);\n    [v7, v5, v3]\n}\n"
        }
        fn device_source(&self) -> ::core::option::Option<__DeviceSource> {
            let __text = ::std::string::String::from(
                "struct System {\n    static constexpr bool AUTONOMOUS = true;\n    static constexpr bool STEPWISE = false;\n    static constexpr int BOUNDS = 0;\n    static constexpr bool MASS = false;\n    static constexpr int ALGEBRAIC = 0;\n    static constexpr bool HAS_DOMAIN = false;\n    static constexpr int OBSERVABLES = 0;\n    static constexpr int EVENTS = 0;\n    static constexpr int RISING = 0;\n    static constexpr int FALLING = 0;\n    static constexpr int ACTING = 0;\n    static constexpr int DELAYED = 0;\n    static constexpr int LOGGED = 0;\n    static constexpr int NO_JUMPS = 0;\n    static constexpr int CONDITIONS = 0;\n    static constexpr int CONDITIONS_ACTING = 0;\n    static constexpr int CONDITIONS_LOGGED = 0;\n    static constexpr int TIMED = 0;\n    static constexpr int TIMED_LOGGED = 0;\n    static constexpr int JUMPS = 0;\n    static constexpr int JUMPS_ACTING = 0;\n    static constexpr int JUMPS_LOGGED = 0;\n    static constexpr int MODES = 0;\n    static constexpr int FIRST_MODE = 0;\n    typedef path::NoNodes Noise;\n    template<class R> using Factors = Arr<R, 8>;\n    template<class R> static DEVICE Arr<R, 3> rhs(const Arr<R, 3>& u, const Arr<R, 3>& p, R t) {\n        auto v0 = (u[1] - u[0]);\n        auto v1 = (p[0] * v0);\n        auto v2 = (p[1] - u[2]);\n        auto v3 = m_mul_add(u[0], v2, (-u[1]));\n        auto v4 = (u[0] * u[1]);\n        auto v5 = m_mul_add((-p[2]), u[2], v4);\n        return array(v1, v3, v5);\n    }\n    template<class R> static DEVICE Arr<Arr<R, 3>, 3> jacobian(const Arr<R, 3>& u, const Arr<R, 3>& p, R t) {\n        auto zero = Real<R>::lit(0.0);\n        auto v0 = (p[1] - u[2]);\n        return array(array((-p[0]), p[0], zero), array(v0, Real<R>::lit((-1.0)), (-u[0])), array(u[1], u[0], (-p[2])));\n    }\n    template<class R> static DEVICE Arr<Arr<R, 3>, 3> parameter_jacobian(const Arr<R, 3>& u, const Arr<R, 3>& p, R t) {\n        auto zero = Real<R>::lit(0.0);\n        auto v0 = (u[1] - u[0]);\n        return array(array(v0, zero, zero), array(zero, u[0], zero), array(zero, zero, (-u[2])));\n    }\n    template<class R> static DEVICE Arr<R, 3> time_gradient(const Arr<R, 3>& u, const Arr<R, 3>& p, R t) {\n        auto zero = Real<R>::lit(0.0);\n        return array(zero, zero, zero);\n    }\n    template<class R> static DEVICE Arr<R, 8> factor(const Arr<R, 3>& u, const Arr<R, 3>& p, R t, R scale) {\n        auto v0 = (scale + p[0]);\n        auto v1 = m_reciprocal(v0);\n        auto v2 = (p[1] - u[2]);\n        auto v3 = (scale - Real<R>::lit((-1.0)));\n        auto v4 = (v2 * v1);\n        auto v5 = m_mul_add((-v4), p[0], v3);\n        auto v6 = m_reciprocal(v5);\n        auto v7 = (scale + p[2]);\n        auto v8 = (u[1] * v1);\n        auto v9 = m_mul_add((-v8), p[0], (-u[0]));\n        auto v10 = (v9 * v6);\n        auto v11 = m_mul_add((-v10), u[0], v7);\n        auto v12 = m_reciprocal(v11);\n        return array(v1, (-p[0]), (-v4), v6, u[0], (-v8), v10, v12);\n    }\n    template<class R> static DEVICE Arr<R, 3> solve(const Arr<R, 8>& w, const Arr<R, 3>& b) {\n        auto v0 = m_mul_add((-w[2]), b[0], b[1]);\n        auto v1 = m_mul_add((-w[5]), b[0], b[2]);\n        auto v2 = m_mul_add((-w[6]), v0, v1);\n        auto v3 = (v2 * w[7]);\n        auto v4 = m_mul_add((-w[4]), v3, v0);\n        auto v5 = (v4 * w[3]);\n        auto v6 = m_mul_add((-w[1]), v5, b[0]);\n        auto v7 = (v6 * w[0]);\n        return array(v7, v5, v3);\n    }\n    template<class R> static DEVICE typename Real<R>::Mask negative(const Arr<R, 8>& w) {\n        auto signs = op_xor(op_xor(m_to_bits(w[0]), m_to_bits(w[3])), m_to_bits(w[7]));\n        return m_lt(m_copysign(Real<R>::lit(1.0), Real<R>::from_bits(signs)), Real<R>::lit(0.0));\n    }\n    template<class R> static DEVICE R row_sum(const Arr<R, 3>& u, const Arr<R, 3>& p, R t) {\n        auto matrix = System::jacobian<R>(u, p, t);\n        auto greatest = Real<R>::lit(0.0);\n        UNROLL for (int i = 0; i < 3; i++) {\n            auto sum = Real<R>::lit(0.0);\n            UNROLL for (int j = 0; j < 3; j++) {\n                sum = (sum + m_abs(matrix[i][j]));\n            }\n            greatest = m_max(greatest, sum);\n        }\n        return greatest;\n    }\n};\n",
            );
            ::core::option::Option::Some(unsafe {
                __DeviceSource::new(__text, [3, 3, 0])
            })
        }
    }
};
impl lorenz {
    /// What the compiler made of this system.
    #[allow(dead_code)]
    #[must_use]
    pub fn report() -> ::odes::__private::Report {
        ::odes::__private::Report::of::<Self, 3, 3>(&lorenz)
    }
}

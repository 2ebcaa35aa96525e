mod pendulum {
    #[allow(dead_code)]
    const MASS: f64 = 2.0;
    #[allow(dead_code)]
    #[derive(
        ::core::prelude::v1::Clone,
        ::core::prelude::v1::Copy,
        ::core::prelude::v1::Debug,
        ::core::prelude::v1::PartialEq
    )]
    pub struct State {
        pub angle: f64,
        pub speed: f64,
        pub tension: f64,
    }
    #[allow(dead_code, clippy::large_const_arrays)]
    /// The tension has no derivative.
    const M: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, MASS, 0.0], [0.0, 0.0, 0.0]];
    #[allow(clippy::needless_range_loop, clippy::trivially_copy_pass_by_ref)]
    #[allow(dead_code)]
    fn rhs(u: &State, p: &[f64; 2]) -> State {
        let [gravity, length] = *p;
        State {
            angle: u.speed,
            speed: -MASS * gravity / length * u.angle.sin(),
            tension: u.tension
                - MASS * (length * u.speed.powi(2) + gravity * u.angle.cos()),
        }
    }
    #[allow(clippy::needless_range_loop, clippy::trivially_copy_pass_by_ref)]
    #[allow(dead_code)]
    /// A rope cannot push.
    fn is_out_of_domain(u: &State) -> bool {
        u.tension < 0.0
    }
    /// The system of this module.
    #[allow(unreachable_pub)]
    #[derive(
        ::core::clone::Clone,
        ::core::marker::Copy,
        ::core::fmt::Debug,
        ::core::default::Default,
        ::core::cmp::PartialEq,
        ::core::cmp::Eq,
    )]
    pub struct Model;
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
            LinearEquations as __LinearEquations, Operations as __Operations,
            Real as __Real, Scalar as __Scalar, System as __System,
            SystemInfo as __SystemInfo,
        };
        #[automatically_derived]
        impl __Rhs<3, 2> for Model {
            const AUTONOMOUS: bool = true;
            const STEPWISE: bool = false;
            const BOUNDS: usize = 0;
            const WEIGHT: u32 = __Operations::new([0, 4, 2, 1, 2, 0]).weight();
            #[inline(always)]
            fn rhs<R: __Real>(&self, __u: &[R; 3], __p: &[R; 2], __t: R) -> [R; 3] {
                let __v0 = R::lit(-2.0).mul_ref(&__p[0]);
                let __v1 = __v0.div_ref(&__p[1]);
                let __v2 = __u[0].sin();
                let __v3 = __v1.mul_ref(&__v2);
                let __v4 = __u[1].mul_ref(&__u[1]);
                let __v5 = __p[1].mul_ref(&__v4);
                let __v6 = __u[0].cos();
                let __v7 = __p[0].mul_add_ref(&__v6, &__v5);
                let __v8 = R::lit(-2.0).mul_add_ref(&__v7, &__u[2]);
                [__u[1], __v3, __v8]
            }
        }
        #[automatically_derived]
        impl __Linearised<3, 2> for Model {
            type Factors<R: __Real> = ::odes::__private::linear::Pivoted<R, 3>;
            #[inline(always)]
            fn jacobian<R: __Real>(
                &self,
                __u: &[R; 3],
                __p: &[R; 2],
                __t: R,
            ) -> [[R; 3]; 3] {
                let __zero = R::lit(0.0);
                let __v0 = R::lit(-2.0).mul_ref(&__p[0]);
                let __v1 = __v0.div_ref(&__p[1]);
                let __v2 = __u[0].sin();
                let __v3 = __u[0].cos();
                let __v4 = __v3.mul_ref(&__v1);
                let __v5 = R::lit(2.0).mul_ref(&__u[1]);
                let __v6 = __v5.mul_ref(&__p[1]);
                let __v7 = __v2.mul_ref(&__p[0]);
                let __v8 = __v7.mul_ref(&R::lit(2.0));
                let __v9 = __v6.mul_ref(&R::lit(2.0));
                [
                    [__zero, R::lit(1.0), __zero],
                    [__v4, __zero, __zero],
                    [__v8, -__v9, R::lit(1.0)],
                ]
            }
            #[inline(always)]
            fn parameter_jacobian<R: __Real>(
                &self,
                __u: &[R; 3],
                __p: &[R; 2],
                __t: R,
            ) -> [[R; 2]; 3] {
                let __zero = R::lit(0.0);
                let __v0 = R::lit(-2.0).mul_ref(&__p[0]);
                let __v1 = __v0.div_ref(&__p[1]);
                let __v2 = __u[0].sin();
                let __v3 = __u[1].mul_ref(&__u[1]);
                let __v4 = __u[0].cos();
                let __v5 = R::lit(1.0).div_ref(&__p[1]);
                let __v6 = R::lit(-2.0).mul_ref(&__v5);
                let __v7 = __v1.mul_ref(&__v5);
                let __v8 = __v6.mul_ref(&__v2);
                let __v9 = __v7.mul_ref(&__v2);
                let __v10 = __v4.mul_ref(&R::lit(2.0));
                let __v11 = __v3.mul_ref(&R::lit(2.0));
                [[__zero, __zero], [__v8, -__v9], [-__v10, -__v11]]
            }
            #[inline(always)]
            fn time_gradient<R: __Real>(
                &self,
                __u: &[R; 3],
                __p: &[R; 2],
                __t: R,
            ) -> [R; 3] {
                let __zero = R::lit(0.0);
                [__zero, __zero, __zero]
            }
            #[inline(always)]
            fn factor<R: __Real>(
                &self,
                __u: &[R; 3],
                __p: &[R; 2],
                __t: R,
                __scale: R,
            ) -> ::odes::__private::linear::Pivoted<R, 3> {
                let mut __matrix = self.jacobian::<R>(__u, __p, __t);
                ::odes::__private::linear::from_jacobian::<
                    R,
                    Self,
                    3,
                >(*self, &mut __matrix, __scale);
                ::odes::__private::linear::factor_pivoted::<R, 3>(&__matrix)
            }
            #[inline(always)]
            fn solve<R: __Real>(
                &self,
                __w: &::odes::__private::linear::Pivoted<R, 3>,
                __b: &[R; 3],
            ) -> [R; 3] {
                ::odes::__private::linear::solve_pivoted::<R, 3>(__w, __b)
            }
            #[inline(always)]
            fn negative<R: __Real>(
                &self,
                __w: &::odes::__private::linear::Pivoted<R, 3>,
            ) -> R::Mask {
                ::odes::__private::linear::negative_pivoted::<R, 3>(__w)
            }
        }
        #[automatically_derived]
        impl __MassMatrix<3> for Model {
            const MASS: bool = true;
            const ALGEBRAIC: usize = 1;
            #[inline(always)]
            fn mass<R: __Real>(&self, __b: &[R; 3]) -> [R; 3] {
                let __zero = R::lit(0.0);
                let __v0 = R::lit(2.0).mul_ref(&__b[1]);
                [__b[0], __v0, __zero]
            }
            #[inline(always)]
            fn algebraic_rows<R: __Real>(&self, __a: &[R; 3], __b: &[R; 3]) -> [R; 3] {
                [__b[0], __b[1], __a[2]]
            }
            #[inline(always)]
            fn algebraic_columns<R: __Real>(
                &self,
                __a: &[R; 3],
                __b: &[R; 3],
            ) -> [R; 3] {
                [__b[0], __b[1], __a[2]]
            }
        }
        #[automatically_derived]
        impl __Domain<3, 2> for Model {
            const HAS_DOMAIN: bool = true;
            #[inline(always)]
            fn out_of_domain<R: __Real>(
                &self,
                __u: &[R; 3],
                __p: &[R; 2],
                __t: R,
            ) -> R::Mask {
                let __m0 = __u[2].lt(R::lit(0.0));
                __m0
            }
        }
        #[automatically_derived]
        impl __Observe<3, 2> for Model {
            const OBSERVABLES: usize = 0;
        }
        #[automatically_derived]
        impl __Events<3, 2> for Model {
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
        impl __TimeBreaks<2> for Model {}
        #[automatically_derived]
        impl __System<3, 2> for Model {
            type State<__T: __Scalar> = State;
            type Parameters<__T: __Scalar> = [__T; 2];
            type Noise = ::odes::__private::NoNoise;
            fn info(&self) -> &'static __SystemInfo {
                const INFO: &__SystemInfo = &__SystemInfo {
                    name: "pendulum",
                    states: &["angle", "speed", "tension"],
                    parameters: &["gravity", "length"],
                    observables: &[],
                    events: &[],
                    features: &[],
                    modes: &[],
                    noise: ::core::option::Option::None,
                    jacobian_pattern: &[(0, 1), (1, 0), (2, 0), (2, 1), (2, 2)],
                    parameter_pattern: &[(1, 0), (1, 1), (2, 0), (2, 1)],
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
                        __Operations::new([0, 4, 2, 1, 2, 0]),
                        __Operations::new([0, 7, 0, 1, 2, 0]),
                        __Operations::new([0, 8, 0, 2, 2, 0]),
                        __Operations::new([0, 0, 0, 0, 0, 0]),
                    ],
                    written: 12,
                    shared: 0,
                    linear: __LinearEquations::Pivoting,
                };
                INFO
            }
            fn rust_source(&self) -> &'static str {
                "fn rhs<R: Real>(&self, u: &[R; 3], p: &[R; 2], t: R) -> [R; 3] {\n    let v0 = R::lit(-2.0).mul_ref(&p[0]);\n    let v1 = v0.div_ref(&p[1]);\n    let v2 = u[0].sin();\n    let v3 = v1.mul_ref(&v2);\n    let v4 = u[1].mul_ref(&u[1]);\n    let v5 = p[1].mul_ref(&v4);\n    let v6 = u[0].cos();\n    let v7 = p[0].mul_add_ref(&v6, &v5);\n    let v8 = R::lit(-2.0).mul_add_ref(&v7, &u[2]);\n    [u[1], v3, v8]\n}\nfn jacobian<R: Real>(&self, u: &[R; 3], p: &[R; 2], t: R) -> [[R; 3]; 3] {\n    let zero = R::lit(0.0);\n    let v0 = R::lit(-2.0).mul_ref(&p[0]);\n    let v1 = v0.div_ref(&p[1]);\n    let v2 = u[0].sin();\n    let v3 = u[0].cos();\n    let v4 = v3.mul_ref(&v1);\n    let v5 = R::lit(2.0).mul_ref(&u[1]);\n    let v6 = v5.mul_ref(&p[1]);\n    let v7 = v2.mul_ref(&p[0]);\n    let v8 = v7.mul_ref(&R::lit(2.0));\n    let v9 = v6.mul_ref(&R::lit(2.0));\n    [[zero, R::lit(1.0), zero], [v4, zero, zero], [v8, -v9, R::lit(1.0)]]\n}\nfn parameter_jacobian<R: Real>(&self, u: &[R; 3], p: &[R; 2], t: R) -> [[R; 2]; 3] {\n    let zero = R::lit(0.0);\n    let v0 = R::lit(-2.0).mul_ref(&p[0]);\n    let v1 = v0.div_ref(&p[1]);\n    let v2 = u[0].sin();\n    let v3 = u[1].mul_ref(&u[1]);\n    let v4 = u[0].cos();\n    let v5 = R::lit(1.0).div_ref(&p[1]);\n    let v6 = R::lit(-2.0).mul_ref(&v5);\n    let v7 = v1.mul_ref(&v5);\n    let v8 = v6.mul_ref(&v2);\n    let v9 = v7.mul_ref(&v2);\n    let v10 = v4.mul_ref(&R::lit(2.0));\n    let v11 = v3.mul_ref(&R::lit(2.0));\n    [[zero, zero], [v8, -v9], [-v10, -v11]]\n}\nfn time_gradient<R: Real>(&self, u: &[R; 3], p: &[R; 2], t: R) -> [R; 3] {\n    let zero = R::lit(0.0);\n    [zero, zero, zero]\n}\nfn mass<R: Real>(&self, b: &[R; 3]) -> [R; 3] {\n    let zero = R::lit(0.0);\n    let v0 = R::lit(2.0).mul_ref(&b[1]);\n    [b[0], v0, zero]\n}\nfn out_of_domain<R: Real>(&self, u: &[R; 3], p: &[R; 2], t: R) -> R::Mask {\n    let m0 = u[2].lt(R::lit(0.0));\n    m0\n}\n"
            }
            fn device_source(&self) -> ::core::option::Option<__DeviceSource> {
                let __text = ::std::string::String::from(
                    "struct System {\n    static constexpr bool AUTONOMOUS = true;\n    static constexpr bool STEPWISE = false;\n    static constexpr int BOUNDS = 0;\n    static constexpr bool MASS = true;\n    static constexpr int ALGEBRAIC = 1;\n    static constexpr bool HAS_DOMAIN = true;\n    static constexpr int OBSERVABLES = 0;\n    static constexpr int EVENTS = 0;\n    static constexpr int RISING = 0;\n    static constexpr int FALLING = 0;\n    static constexpr int ACTING = 0;\n    static constexpr int DELAYED = 0;\n    static constexpr int LOGGED = 0;\n    static constexpr int NO_JUMPS = 0;\n    static constexpr int CONDITIONS = 0;\n    static constexpr int CONDITIONS_ACTING = 0;\n    static constexpr int CONDITIONS_LOGGED = 0;\n    static constexpr int TIMED = 0;\n    static constexpr int TIMED_LOGGED = 0;\n    static constexpr int JUMPS = 0;\n    static constexpr int JUMPS_ACTING = 0;\n    static constexpr int JUMPS_LOGGED = 0;\n    static constexpr int MODES = 0;\n    static constexpr int FIRST_MODE = 0;\n    typedef path::NoNodes Noise;\n    template<class R> using Factors = linear::Pivoted<R, 3>;\n    template<class R> static DEVICE Arr<R, 3> rhs(const Arr<R, 3>& u, const Arr<R, 2>& p, R t) {\n        auto v0 = (Real<R>::lit((-2.0)) * p[0]);\n        auto v1 = (v0 / p[1]);\n        auto v2 = math::sin(u[0]);\n        auto v3 = (v1 * v2);\n        auto v4 = (u[1] * u[1]);\n        auto v5 = (p[1] * v4);\n        auto v6 = math::cos(u[0]);\n        auto v7 = m_mul_add(p[0], v6, v5);\n        auto v8 = m_mul_add(Real<R>::lit((-2.0)), v7, u[2]);\n        return array(u[1], v3, v8);\n    }\n    template<class R> static DEVICE Arr<Arr<R, 3>, 3> jacobian(const Arr<R, 3>& u, const Arr<R, 2>& p, R t) {\n        auto zero = Real<R>::lit(0.0);\n        auto v0 = (Real<R>::lit((-2.0)) * p[0]);\n        auto v1 = (v0 / p[1]);\n        auto v2 = math::sin(u[0]);\n        auto v3 = math::cos(u[0]);\n        auto v4 = (v3 * v1);\n        auto v5 = (Real<R>::lit(2.0) * u[1]);\n        auto v6 = (v5 * p[1]);\n        auto v7 = (v2 * p[0]);\n        auto v8 = (v7 * Real<R>::lit(2.0));\n        auto v9 = (v6 * Real<R>::lit(2.0));\n        return array(array(zero, Real<R>::lit(1.0), zero), array(v4, zero, zero), array(v8, (-v9), Real<R>::lit(1.0)));\n    }\n    template<class R> static DEVICE Arr<Arr<R, 2>, 3> parameter_jacobian(const Arr<R, 3>& u, const Arr<R, 2>& p, R t) {\n        auto zero = Real<R>::lit(0.0);\n        auto v0 = (Real<R>::lit((-2.0)) * p[0]);\n        auto v1 = (v0 / p[1]);\n        auto v2 = math::sin(u[0]);\n        auto v3 = (u[1] * u[1]);\n        auto v4 = math::cos(u[0]);\n        auto v5 = (Real<R>::lit(1.0) / p[1]);\n        auto v6 = (Real<R>::lit((-2.0)) * v5);\n        auto v7 = (v1 * v5);\n        auto v8 = (v6 * v2);\n        auto v9 = (v7 * v2);\n        auto v10 = (v4 * Real<R>::lit(2.0));\n        auto v11 = (v3 * Real<R>::lit(2.0));\n        return array(array(zero, zero), array(v8, (-v9)), array((-v10), (-v11)));\n    }\n    template<class R> static DEVICE Arr<R, 3> time_gradient(const Arr<R, 3>& u, const Arr<R, 2>& p, R t) {\n        auto zero = Real<R>::lit(0.0);\n        return array(zero, zero, zero);\n    }\n    template<class R> static DEVICE Arr<R, 3> mass(const Arr<R, 3>& b) {\n        auto zero = Real<R>::lit(0.0);\n        auto v0 = (Real<R>::lit(2.0) * b[1]);\n        return array(b[0], v0, zero);\n    }\n    template<class R> static DEVICE typename Real<R>::Mask out_of_domain(const Arr<R, 3>& u, const Arr<R, 2>& p, R t) {\n        auto m0 = m_lt(u[2], Real<R>::lit(0.0));\n        return m0;\n    }\n    template<class R> static DEVICE linear::Pivoted<R, 3> factor(const Arr<R, 3>& u, const Arr<R, 2>& p, R t, R scale) {\n        auto matrix = System::jacobian<R>(u, p, t);\n        linear::from_jacobian<R, System, 3>(System{}, matrix, scale);\n        return linear::factor_pivoted<R, 3>(matrix);\n    }\n    template<class R> static DEVICE Arr<R, 3> solve(const linear::Pivoted<R, 3>& w, const Arr<R, 3>& b) {\n        return linear::solve_pivoted<R, 3>(w, b);\n    }\n    template<class R> static DEVICE typename Real<R>::Mask negative(const linear::Pivoted<R, 3>& w) {\n        return linear::negative_pivoted<R, 3>(w);\n    }\n    template<class R> static DEVICE Arr<R, 3> algebraic_rows(const Arr<R, 3>& a, const Arr<R, 3>& b) {\n        return array(b[0], b[1], a[2]);\n    }\n    template<class R> static DEVICE Arr<R, 3> algebraic_columns(const Arr<R, 3>& a, const Arr<R, 3>& b) {\n        return array(b[0], b[1], a[2]);\n    }\n    template<class R> static DEVICE R row_sum(const Arr<R, 3>& u, const Arr<R, 2>& p, R t) {\n        auto matrix = System::jacobian<R>(u, p, t);\n        auto greatest = Real<R>::lit(0.0);\n        UNROLL for (int i = 0; i < 3; i++) {\n            auto sum = Real<R>::lit(0.0);\n            UNROLL for (int j = 0; j < 3; j++) {\n                sum = (sum + m_abs(matrix[i][j]));\n            }\n            greatest = m_max(greatest, sum);\n        }\n        return greatest;\n    }\n};\n",
                );
                ::core::option::Option::Some(unsafe {
                    __DeviceSource::new(__text, [3, 2, 0])
                })
            }
        }
    };
    #[automatically_derived]
    #[allow(trivial_numeric_casts, clippy::all, clippy::pedantic)]
    impl ::core::convert::From<State> for [f64; 3] {
        /// The numbers of the fields, in the order of their declaration.
        fn from(__value: State) -> Self {
            [__value.angle as f64, __value.speed as f64, __value.tension as f64]
        }
    }
    #[automatically_derived]
    #[allow(trivial_numeric_casts, clippy::all, clippy::pedantic)]
    impl ::core::convert::From<[f64; 3]> for State {
        /// The fields, in the order of their declaration, from these numbers.
        fn from(__numbers: [f64; 3]) -> Self {
            State {
                angle: __numbers[0] as f64,
                speed: __numbers[1] as f64,
                tension: __numbers[2] as f64,
            }
        }
    }
    #[automatically_derived]
    #[allow(trivial_numeric_casts, clippy::all, clippy::pedantic)]
    impl ::core::convert::From<State> for [f32; 3] {
        /// The numbers of the fields, in the order of their declaration.
        fn from(__value: State) -> Self {
            [__value.angle as f32, __value.speed as f32, __value.tension as f32]
        }
    }
    #[automatically_derived]
    #[allow(trivial_numeric_casts, clippy::all, clippy::pedantic)]
    impl ::core::convert::From<[f32; 3]> for State {
        /// The fields, in the order of their declaration, from these numbers.
        fn from(__numbers: [f32; 3]) -> Self {
            State {
                angle: __numbers[0] as f64,
                speed: __numbers[1] as f64,
                tension: __numbers[2] as f64,
            }
        }
    }
    #[automatically_derived]
    impl ::odes::__private::Quantities<3> for State {
        fn from_numbers(__numbers: [f64; 3]) -> Self {
            ::core::convert::From::from(__numbers)
        }
        fn to_numbers(self) -> [f64; 3] {
            ::core::convert::From::from(self)
        }
    }
    ///The problem of one trajectory.
    #[allow(dead_code, unreachable_pub)]
    pub type Problem<__T = f64> = ::odes::__private::OdeProblem<Model, __T, 3, 2>;
    ///The solution of one problem.
    #[allow(dead_code, unreachable_pub)]
    pub type Solution<__T = f64> = ::odes::__private::OdeSolution<Model, __T, 3, 2>;
    ///The problems of many trajectories.
    #[allow(dead_code, unreachable_pub)]
    pub type Ensemble<__T = f64, __F = ::odes::__private::Unvaried> = ::odes::__private::EnsembleProblem<
        Model,
        __T,
        __F,
        3,
        2,
    >;
    ///The solution of an ensemble.
    #[allow(dead_code, unreachable_pub)]
    pub type EnsembleSolution<__T = f64> = ::odes::__private::EnsembleSolution<
        Model,
        __T,
        3,
        2,
    >;
    /// What the compiler made of this system.
    #[allow(dead_code, unreachable_pub)]
    #[must_use]
    pub fn report() -> ::odes::__private::Report {
        ::odes::__private::Report::of::<Model, 3, 2>(&Model)
    }
}
///The system of the module [`pendulum`](mod@pendulum).
#[allow(non_upper_case_globals, dead_code)]
const pendulum: pendulum::Model = pendulum::Model;

#[allow(non_camel_case_types)]
#[derive(
    ::core::clone::Clone,
    ::core::marker::Copy,
    ::core::fmt::Debug,
    ::core::default::Default,
    ::core::cmp::PartialEq,
    ::core::cmp::Eq,
)]
struct ring;
#[allow(deprecated)]
const _: () = {
    #[allow(dead_code, non_snake_case)]
    fn ring() {}
    impl ring {
        /// The right-hand side as it was written, compiled by rustc.
        #[allow(clippy::needless_range_loop, clippy::trivially_copy_pass_by_ref)]
        #[allow(dead_code, clippy::must_use_candidate)]
        fn call(u: &[f32; 4], p: &[f32; 1], t: f32) -> [f32; 4] {
            let mut flow = [0.0; 4];
            for i in 0..4 {
                let next = (i + 1) % 4;
                flow[i] = p[0] * (u[next] - u[i]);
            }
            let mut du = [0.0; 4];
            for i in 0..4 {
                du[i] = flow[i] - flow[(i + 3) % 4] + i as f32 * t.powi(3);
            }
            du
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
    use crate::facade::__private::{
        Rhs as __Rhs, Linearised as __Linearised, MassMatrix as __MassMatrix,
        Domain as __Domain, Observe as __Observe, Events as __Events,
        TimeBreaks as __TimeBreaks, DeviceSource as __DeviceSource,
        LinearEquations as __LinearEquations, Operations as __Operations, Real as __Real,
        Scalar as __Scalar, System as __System, SystemInfo as __SystemInfo,
    };
    #[automatically_derived]
    impl __Rhs<4, 1> for ring {
        const AUTONOMOUS: bool = false;
        const STEPWISE: bool = false;
        const BOUNDS: usize = 0;
        const WEIGHT: u32 = __Operations::new([12, 9, 0, 0, 0, 0]).weight();
        #[inline(always)]
        fn rhs<R: __Real>(&self, __u: &[R; 4], __p: &[R; 1], __t: R) -> [R; 4] {
            let __v0 = __u[1].sub_ref(&__u[0]);
            let __v1 = __p[0].mul_ref(&__v0);
            let __v2 = __u[2].sub_ref(&__u[1]);
            let __v3 = __p[0].mul_ref(&__v2);
            let __v4 = __u[3].sub_ref(&__u[2]);
            let __v5 = __p[0].mul_ref(&__v4);
            let __v6 = __u[0].sub_ref(&__u[3]);
            let __v7 = __p[0].mul_ref(&__v6);
            let __v8 = __v1.sub_ref(&__v7);
            let __v9 = __t.mul_ref(&__t);
            let __v10 = __t.mul_ref(&__v9);
            let __v11 = R::lit(0.0).mul_ref(&__v10);
            let __v12 = __v8.add_ref(&__v11);
            let __v13 = __v3.sub_ref(&__v1);
            let __v14 = __v13.add_ref(&__v10);
            let __v15 = __v5.sub_ref(&__v3);
            let __v16 = R::lit(2.0).mul_ref(&__v10);
            let __v17 = __v15.add_ref(&__v16);
            let __v18 = __v7.sub_ref(&__v5);
            let __v19 = R::lit(3.0).mul_ref(&__v10);
            let __v20 = __v18.add_ref(&__v19);
            [__v12, __v14, __v17, __v20]
        }
    }
    #[automatically_derived]
    impl __Linearised<4, 1> for ring {
        type Factors<R: __Real> = [R; 14];
        #[inline(always)]
        fn jacobian<R: __Real>(
            &self,
            __u: &[R; 4],
            __p: &[R; 1],
            __t: R,
        ) -> [[R; 4]; 4] {
            let __zero = R::lit(0.0);
            let __v0 = (-__p[0]).sub_ref(&__p[0]);
            [
                [__v0, __p[0], __zero, __p[0]],
                [__p[0], __v0, __p[0], __zero],
                [__zero, __p[0], __v0, __p[0]],
                [__p[0], __zero, __p[0], __v0],
            ]
        }
        #[inline(always)]
        fn parameter_jacobian<R: __Real>(
            &self,
            __u: &[R; 4],
            __p: &[R; 1],
            __t: R,
        ) -> [[R; 1]; 4] {
            let __v0 = __u[1].sub_ref(&__u[0]);
            let __v1 = __u[2].sub_ref(&__u[1]);
            let __v2 = __u[3].sub_ref(&__u[2]);
            let __v3 = __u[0].sub_ref(&__u[3]);
            let __v4 = __v0.sub_ref(&__v3);
            let __v5 = __v1.sub_ref(&__v0);
            let __v6 = __v2.sub_ref(&__v1);
            let __v7 = __v3.sub_ref(&__v2);
            [[__v4], [__v5], [__v6], [__v7]]
        }
        #[inline(always)]
        fn time_gradient<R: __Real>(
            &self,
            __u: &[R; 4],
            __p: &[R; 1],
            __t: R,
        ) -> [R; 4] {
            let __zero = R::lit(0.0);
            let __v0 = __t.mul_ref(&__t);
            let __v1 = R::lit(3.0).mul_ref(&__v0);
            let __v2 = __v1.mul_ref(&R::lit(2.0));
            let __v3 = __v1.mul_ref(&R::lit(3.0));
            [__zero, __v1, __v2, __v3]
        }
        #[inline(always)]
        fn factor<R: __Real>(
            &self,
            __u: &[R; 4],
            __p: &[R; 1],
            __t: R,
            __scale: R,
        ) -> [R; 14] {
            let __v0 = (-__p[0]).sub_ref(&__p[0]);
            let __v1 = __scale.sub_ref(&__v0);
            let __v2 = __v1.reciprocal();
            let __v3 = __p[0].mul_ref(&__v2);
            let __v4 = __v3.mul_ref(&__p[0]);
            let __v5 = __v1.sub_ref(&__v4);
            let __v6 = __v5.reciprocal();
            let __v7 = __p[0].mul_ref(&__v6);
            let __v8 = __v7.mul_ref(&__p[0]);
            let __v9 = __v1.sub_ref(&__v8);
            let __v10 = __v7.mul_ref(&__v4);
            let __v11 = (-__p[0]).sub_ref(&__v10);
            let __v12 = __v9.reciprocal();
            let __v13 = __v4.mul_ref(&__v6);
            let __v14 = __v13.mul_ref(&__p[0]);
            let __v15 = (-__p[0]).sub_ref(&__v14);
            let __v16 = __v13.mul_ref(&__v4);
            let __v17 = __v5.sub_ref(&__v16);
            let __v18 = __v15.mul_ref(&__v12);
            let __v19 = __v18.mul_ref(&__v11);
            let __v20 = __v17.sub_ref(&__v19);
            let __v21 = __v20.reciprocal();
            [
                __v2,
                -__p[0],
                -__p[0],
                -__v3,
                __v6,
                -__p[0],
                -__v4,
                -__v7,
                __v12,
                __v11,
                -__v3,
                -__v13,
                __v18,
                __v21,
            ]
        }
        #[inline(always)]
        fn solve<R: __Real>(&self, __w: &[R; 14], __b: &[R; 4]) -> [R; 4] {
            let __v0 = __w[3].mul_ref(&__b[0]);
            let __v1 = __b[1].sub_ref(&__v0);
            let __v2 = __w[7].mul_ref(&__v1);
            let __v3 = __b[2].sub_ref(&__v2);
            let __v4 = __w[10].mul_ref(&__b[0]);
            let __v5 = __b[3].sub_ref(&__v4);
            let __v6 = __w[11].mul_ref(&__v1);
            let __v7 = __v5.sub_ref(&__v6);
            let __v8 = __w[12].mul_ref(&__v3);
            let __v9 = __v7.sub_ref(&__v8);
            let __v10 = __v9.mul_ref(&__w[13]);
            let __v11 = __w[9].mul_ref(&__v10);
            let __v12 = __v3.sub_ref(&__v11);
            let __v13 = __v12.mul_ref(&__w[8]);
            let __v14 = __w[6].mul_ref(&__v10);
            let __v15 = __v1.sub_ref(&__v14);
            let __v16 = __w[5].mul_ref(&__v13);
            let __v17 = __v15.sub_ref(&__v16);
            let __v18 = __v17.mul_ref(&__w[4]);
            let __v19 = __w[2].mul_ref(&__v10);
            let __v20 = __b[0].sub_ref(&__v19);
            let __v21 = __w[1].mul_ref(&__v18);
            let __v22 = __v20.sub_ref(&__v21);
            let __v23 = __v22.mul_ref(&__w[0]);
            [__v23, __v18, __v13, __v10]
        }
        #[inline(always)]
        fn negative<R: __Real>(&self, __w: &[R; 14]) -> R::Mask {
            let __signs = __w[0].to_bits() ^ __w[4].to_bits() ^ __w[8].to_bits()
                ^ __w[13].to_bits();
            R::lit(1.0).copysign(R::from_bits(__signs)).lt(R::lit(0.0))
        }
    }
    #[automatically_derived]
    impl __MassMatrix<4> for ring {
        const MASS: bool = false;
        const ALGEBRAIC: usize = 0;
    }
    #[automatically_derived]
    impl __Domain<4, 1> for ring {
        const HAS_DOMAIN: bool = false;
    }
    #[automatically_derived]
    impl __Observe<4, 1> for ring {
        const OBSERVABLES: usize = 0;
    }
    #[automatically_derived]
    impl __Events<4, 1> for ring {
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
    impl __TimeBreaks<1> for ring {}
    #[automatically_derived]
    impl __System<4, 1> for ring {
        type State<__T: __Scalar> = [__T; 4];
        type Parameters<__T: __Scalar> = [__T; 1];
        type Noise = crate::facade::__private::NoNoise;
        fn info(&self) -> &'static __SystemInfo {
            const INFO: &__SystemInfo = &__SystemInfo {
                name: "ring",
                states: &["u0", "u1", "u2", "u3"],
                parameters: &["p0"],
                observables: &[],
                events: &[],
                features: &[],
                modes: &[],
                noise: ::core::option::Option::None,
                jacobian_pattern: &[
                    (0, 0),
                    (0, 1),
                    (0, 3),
                    (1, 0),
                    (1, 1),
                    (1, 2),
                    (2, 1),
                    (2, 2),
                    (2, 3),
                    (3, 0),
                    (3, 2),
                    (3, 3),
                ],
                parameter_pattern: &[(0, 0), (1, 0), (2, 0), (3, 0)],
                time_pattern: &[1, 2, 3],
                time_breaks: &[],
                parameter_breaks: &[],
                moving_time_breaks: false,
                more_time_breaks: false,
                poles: &[],
                growing: &[],
                steep: &[],
                jumps: &[],
                operations: [
                    __Operations::new([12, 9, 0, 0, 0, 0]),
                    __Operations::new([1, 0, 0, 0, 0, 0]),
                    __Operations::new([8, 0, 0, 0, 0, 0]),
                    __Operations::new([0, 4, 0, 0, 0, 0]),
                ],
                written: 24,
                shared: 5,
                linear: __LinearEquations::Nonzeros {
                    factor: __Operations::new([8, 10, 0, 0, 4, 0]),
                    solve: __Operations::new([10, 14, 0, 0, 0, 0]),
                },
            };
            INFO
        }
        fn rust_source(&self) -> &'static str {
            "fn rhs<R: Real>(&self, u: &[R; 4], p: &[R; 1], t: R) -> [R; 4] {\n    let v0 = u[1].sub_ref(&u[0]);\n    let v1 = p[0].mul_ref(&v0);\n    let v2 = u[2].sub_ref(&u[1]);\n    let v3 = p[0].mul_ref(&v2);\n    let v4 = u[3].sub_ref(&u[2]);\n    let v5 = p[0].mul_ref(&v4);\n    let v6 = u[0].sub_ref(&u[3]);\n    let v7 = p[0].mul_ref(&v6);\n    let v8 = v1.sub_ref(&v7);\n    let v9 = t.mul_ref(&t);\n    let v10 = t.mul_ref(&v9);\n    let v11 = R::lit(0.0).mul_ref(&v10);\n    let v12 = v8.add_ref(&v11);\n    let v13 = v3.sub_ref(&v1);\n    let v14 = v13.add_ref(&v10);\n    let v15 = v5.sub_ref(&v3);\n    let v16 = R::lit(2.0).mul_ref(&v10);\n    let v17 = v15.add_ref(&v16);\n    let v18 = v7.sub_ref(&v5);\n    let v19 = R::lit(3.0).mul_ref(&v10);\n    let v20 = v18.add_ref(&v19);\n    [v12, v14, v17, v20]\n}\nfn jacobian<R: Real>(&self, u: &[R; 4], p: &[R; 1], t: R) -> [[R; 4]; 4] {\n    let zero = R::lit(0.0);\n    let v0 = (-p[0]).sub_ref(&p[0]);\n    [[v0, p[0], zero, p[0]], [p[0], v0, p[0], zero], [zero, p[0], v0, p[0]], [p[0], zero, p[0], v0]]\n}\nfn parameter_jacobian<R: Real>(&self, u: &[R; 4], p: &[R; 1], t: R) -> [[R; 1]; 4] {\n    let v0 = u[1].sub_ref(&u[0]);\n    let v1 = u[2].sub_ref(&u[1]);\n    let v2 = u[3].sub_ref(&u[2]);\n    let v3 = u[0].sub_ref(&u[3]);\n    let v4 = v0.sub_ref(&v3);\n    let v5 = v1.sub_ref(&v0);\n    let v6 = v2.sub_ref(&v1);\n    let v7 = v3.sub_ref(&v2);\n    [[v4], [v5], [v6], [v7]]\n}\nfn time_gradient<R: Real>(&self, u: &[R; 4], p: &[R; 1], t: R) -> [R; 4] {\n    let zero = R::lit(0.0);\n    let v0 = t.mul_ref(&t);\n    let v1 = R::lit(3.0).mul_ref(&v0);\n    let v2 = v1.mul_ref(&R::lit(2.0));\n    let v3 = v1.mul_ref(&R::lit(3.0));\n    [zero, v1, v2, v3]\n}\nfn factor<R: Real>(&self, u: &[R; 4], p: &[R; 1], t: R, scale: R) -> [R; 14] {\n    let v0 = (-p[0]).sub_ref(&p[0]);\n    let v1 = scale.sub_ref(&v0);\n    let v2 = v1.reciprocal();\n    let v3 = p[0].mul_ref(&v2);\n    let v4 = v3.mul_ref(&p[0]);\n    let v5 = v1.sub_ref(&v4);\n    let v6 = v5.reciprocal();\n    let v7 = p[0].mul_ref(&v6);\n    let v8 = v7.mul_ref(&p[0]);\n    let v9 = v1.sub_ref(&v8);\n    let v10 = v7.mul_ref(&v4);\n    let v11 = (-p[0]).sub_ref(&v10);\n    let v12 = v9.reciprocal();\n    let v13 = v4.mul_ref(&v6);\n    let v14 = v13.mul_ref(&p[0]);\n    let v15 = (-p[0]).sub_ref(&v14);\n    let v16 = v13.mul_ref(&v4);\n    let v17 = v5.sub_ref(&v16);\n    let v18 = v15.mul_ref(&v12);\n    let v19 = v18.mul_ref(&v11);\n    let v20 = v17.sub_ref(&v19);\n    let v21 = v20.reciprocal();\n    [v2, -p[0], -p[0], -v3, v6, -p[0], -v4, -v7, v12, v11, -v3, -v13, v18, v21]\n}\nfn solve<R: Real>(&self, w: &[R; 14], b: &[R; 4]) -> [R; 4] {\n    let v0 = w[3].mul_ref(&b[0]);\n    let v1 = b[1].sub_ref(&v0);\n    let v2 = w[7].mul_ref(&v1);\n    let v3 = b[2].sub_ref(&v2);\n    let v4 = w[10].mul_ref(&b[0]);\n    let v5 = b[3].sub_ref(&v4);\n    let v6 = w[11].mul_ref(&v1);\n    let v7 = v5.sub_ref(&v6);\n    let v8 = w[12].mul_ref(&v3);\n    let v9 = v7.sub_ref(&v8);\n    let v10 = v9.mul_ref(&w[13]);\n    let v11 = w[9].mul_ref(&v10);\n    let v12 = v3.sub_ref(&v11);\n    let v13 = v12.mul_ref(&w[8]);\n    let v14 = w[6].mul_ref(&v10);\n    let v15 = v1.sub_ref(&v14);\n    let v16 = w[5].mul_ref(&v13);\n    let v17 = v15.sub_ref(&v16);\n    let v18 = v17.mul_ref(&w[4]);\n    let v19 = w[2].mul_ref(&v10);\n    let v20 = b[0].sub_ref(&v19);\n    let v21 = w[1].mul_ref(&v18);\n    let v22 = v20.sub_ref(&v21);\n    let v23 = v22.mul_ref(&w[0]);\n    [v23, v18, v13, v10]\n}\n"
        }
        fn device_source(&self) -> ::core::option::Option<__DeviceSource> {
            let __text = ::std::string::String::from(
                "struct System {\n    static constexpr bool AUTONOMOUS = false;\n    static constexpr bool STEPWISE = false;\n    static constexpr int BOUNDS = 0;\n    static constexpr bool MASS = false;\n    static constexpr int ALGEBRAIC = 0;\n    static constexpr bool HAS_DOMAIN = false;\n    static constexpr int OBSERVABLES = 0;\n    static constexpr int EVENTS = 0;\n    static constexpr int RISING = 0;\n    static constexpr int FALLING = 0;\n    static constexpr int ACTING = 0;\n    static constexpr int DELAYED = 0;\n    static constexpr int LOGGED = 0;\n    static constexpr int NO_JUMPS = 0;\n    static constexpr int CONDITIONS = 0;\n    static constexpr int CONDITIONS_ACTING = 0;\n    static constexpr int CONDITIONS_LOGGED = 0;\n    static constexpr int TIMED = 0;\n    static constexpr int TIMED_LOGGED = 0;\n    static constexpr int JUMPS = 0;\n    static constexpr int JUMPS_ACTING = 0;\n    static constexpr int JUMPS_LOGGED = 0;\n    static constexpr int MODES = 0;\n    static constexpr int FIRST_MODE = 0;\n    typedef path::NoNodes Noise;\n    template<class R> using Factors = Arr<R, 14>;\n    template<class R> static DEVICE Arr<R, 4> rhs(const Arr<R, 4>& u, const Arr<R, 1>& p, R t) {\n        auto v0 = (u[1] - u[0]);\n        auto v1 = (p[0] * v0);\n        auto v2 = (u[2] - u[1]);\n        auto v3 = (p[0] * v2);\n        auto v4 = (u[3] - u[2]);\n        auto v5 = (p[0] * v4);\n        auto v6 = (u[0] - u[3]);\n        auto v7 = (p[0] * v6);\n        auto v8 = (v1 - v7);\n        auto v9 = (t * t);\n        auto v10 = (t * v9);\n        auto v11 = (Real<R>::lit(0.0) * v10);\n        auto v12 = (v8 + v11);\n        auto v13 = (v3 - v1);\n        auto v14 = (v13 + v10);\n        auto v15 = (v5 - v3);\n        auto v16 = (Real<R>::lit(2.0) * v10);\n        auto v17 = (v15 + v16);\n        auto v18 = (v7 - v5);\n        auto v19 = (Real<R>::lit(3.0) * v10);\n        auto v20 = (v18 + v19);\n        return array(v12, v14, v17, v20);\n    }\n    template<class R> static DEVICE Arr<Arr<R, 4>, 4> jacobian(const Arr<R, 4>& u, const Arr<R, 1>& p, R t) {\n        auto zero = Real<R>::lit(0.0);\n        auto v0 = ((-p[0]) - p[0]);\n        return array(array(v0, p[0], zero, p[0]), array(p[0], v0, p[0], zero), array(zero, p[0], v0, p[0]), array(p[0], zero, p[0], v0));\n    }\n    template<class R> static DEVICE Arr<Arr<R, 1>, 4> parameter_jacobian(const Arr<R, 4>& u, const Arr<R, 1>& p, R t) {\n        auto v0 = (u[1] - u[0]);\n        auto v1 = (u[2] - u[1]);\n        auto v2 = (u[3] - u[2]);\n        auto v3 = (u[0] - u[3]);\n        auto v4 = (v0 - v3);\n        auto v5 = (v1 - v0);\n        auto v6 = (v2 - v1);\n        auto v7 = (v3 - v2);\n        return array(array(v4), array(v5), array(v6), array(v7));\n    }\n    template<class R> static DEVICE Arr<R, 4> time_gradient(const Arr<R, 4>& u, const Arr<R, 1>& p, R t) {\n        auto zero = Real<R>::lit(0.0);\n        auto v0 = (t * t);\n        auto v1 = (Real<R>::lit(3.0) * v0);\n        auto v2 = (v1 * Real<R>::lit(2.0));\n        auto v3 = (v1 * Real<R>::lit(3.0));\n        return array(zero, v1, v2, v3);\n    }\n    template<class R> static DEVICE Arr<R, 14> factor(const Arr<R, 4>& u, const Arr<R, 1>& p, R t, R scale) {\n        auto v0 = ((-p[0]) - p[0]);\n        auto v1 = (scale - v0);\n        auto v2 = m_reciprocal(v1);\n        auto v3 = (p[0] * v2);\n        auto v4 = (v3 * p[0]);\n        auto v5 = (v1 - v4);\n        auto v6 = m_reciprocal(v5);\n        auto v7 = (p[0] * v6);\n        auto v8 = (v7 * p[0]);\n        auto v9 = (v1 - v8);\n        auto v10 = (v7 * v4);\n        auto v11 = ((-p[0]) - v10);\n        auto v12 = m_reciprocal(v9);\n        auto v13 = (v4 * v6);\n        auto v14 = (v13 * p[0]);\n        auto v15 = ((-p[0]) - v14);\n        auto v16 = (v13 * v4);\n        auto v17 = (v5 - v16);\n        auto v18 = (v15 * v12);\n        auto v19 = (v18 * v11);\n        auto v20 = (v17 - v19);\n        auto v21 = m_reciprocal(v20);\n        return array(v2, (-p[0]), (-p[0]), (-v3), v6, (-p[0]), (-v4), (-v7), v12, v11, (-v3), (-v13), v18, v21);\n    }\n    template<class R> static DEVICE Arr<R, 4> solve(const Arr<R, 14>& w, const Arr<R, 4>& b) {\n        auto v0 = (w[3] * b[0]);\n        auto v1 = (b[1] - v0);\n        auto v2 = (w[7] * v1);\n        auto v3 = (b[2] - v2);\n        auto v4 = (w[10] * b[0]);\n        auto v5 = (b[3] - v4);\n        auto v6 = (w[11] * v1);\n        auto v7 = (v5 - v6);\n        auto v8 = (w[12] * v3);\n        auto v9 = (v7 - v8);\n        auto v10 = (v9 * w[13]);\n        auto v11 = (w[9] * v10);\n        auto v12 = (v3 - v11);\n        auto v13 = (v12 * w[8]);\n        auto v14 = (w[6] * v10);\n        auto v15 = (v1 - v14);\n        auto v16 = (w[5] * v13);\n        auto v17 = (v15 - v16);\n        auto v18 = (v17 * w[4]);\n        auto v19 = (w[2] * v10);\n        auto v20 = (b[0] - v19);\n        auto v21 = (w[1] * v18);\n        auto v22 = (v20 - v21);\n        auto v23 = (v22 * w[0]);\n        return array(v23, v18, v13, v10);\n    }\n    template<class R> static DEVICE typename Real<R>::Mask negative(const Arr<R, 14>& w) {\n        auto signs = op_xor(op_xor(op_xor(m_to_bits(w[0]), m_to_bits(w[4])), m_to_bits(w[8])), m_to_bits(w[13]));\n        return m_lt(m_copysign(Real<R>::lit(1.0), Real<R>::from_bits(signs)), Real<R>::lit(0.0));\n    }\n    template<class R> static DEVICE R row_sum(const Arr<R, 4>& u, const Arr<R, 1>& p, R t) {\n        auto matrix = System::jacobian<R>(u, p, t);\n        auto greatest = Real<R>::lit(0.0);\n        UNROLL for (int i = 0; i < 4; i++) {\n            auto sum = Real<R>::lit(0.0);\n            UNROLL for (int j = 0; j < 4; j++) {\n                sum = (sum + m_abs(matrix[i][j]));\n            }\n            greatest = m_max(greatest, sum);\n        }\n        return greatest;\n    }\n};\n",
            );
            ::core::option::Option::Some(unsafe {
                __DeviceSource::new(__text, [4, 1, 0])
            })
        }
    }
};
impl ring {
    /// What the compiler made of this system.
    #[allow(dead_code)]
    #[must_use]
    fn report() -> crate::facade::__private::Report {
        crate::facade::__private::Report::of::<Self, 4, 1>(&ring)
    }
}

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
impl lorenz {
    /// The right-hand side as it was written, compiled by rustc.
    #[allow(dead_code)]
    pub fn call(du: &mut [f64; 3], u: &[f64; 3], p: &[f64; 3], _t: f64) {
        let [x, y, z] = *u;
        let [sigma, rho, beta] = *p;
        du[0] = sigma * (y - x);
        du[1] = x * (rho - z) - y;
        du[2] = x * y - beta * z;
    }
}
#[allow(
    deprecated,
    trivial_numeric_casts,
    unused_variables,
    clippy::all,
    clippy::pedantic
)]
const _: () = {
    use ::odes::__private::{Operations, Real, System};
    #[automatically_derived]
    impl System<3, 3> for lorenz {
        const NAME: &'static str = "lorenz";
        const STATES: [&'static str; 3] = ["x", "y", "z"];
        const PARAMETERS: [&'static str; 3] = ["sigma", "rho", "beta"];
        const JACOBIAN_PATTERN: &'static [(usize, usize)] = &[
            (0, 0),
            (0, 1),
            (1, 0),
            (1, 1),
            (1, 2),
            (2, 0),
            (2, 1),
            (2, 2),
        ];
        const PARAMETER_PATTERN: &'static [(usize, usize)] = &[(0, 0), (1, 1), (2, 2)];
        const TIME_PATTERN: &'static [usize] = &[];
        const OPERATIONS: [Operations; 4] = [
            Operations::new([2, 2, 2, 0, 0, 0]),
            Operations::new([1, 0, 0, 0, 0, 0]),
            Operations::new([1, 0, 0, 0, 0, 0]),
            Operations::new([0, 0, 0, 0, 0, 0]),
        ];
        const WRITTEN: u64 = 8;
        const SHARED: usize = 0;
        #[inline(always)]
        fn rhs<R: Real>(u: &[R; 3], p: &[R; 3], t: R) -> [R; 3] {
            let v0 = u[1] - u[0];
            let v1 = p[0] * v0;
            let v2 = p[1] - u[2];
            let v3 = u[0].mul_add(v2, -u[1]);
            let v4 = u[0] * u[1];
            let v5 = (-p[2]).mul_add(u[2], v4);
            [v1, v3, v5]
        }
        #[inline]
        fn jacobian<R: Real>(u: &[R; 3], p: &[R; 3], t: R) -> [[R; 3]; 3] {
            let zero = R::lit(0.0);
            let v0 = p[1] - u[2];
            [[-p[0], p[0], zero], [v0, R::lit(-1.0), -u[0]], [u[1], u[0], -p[2]]]
        }
        #[inline]
        fn parameter_jacobian<R: Real>(u: &[R; 3], p: &[R; 3], t: R) -> [[R; 3]; 3] {
            let zero = R::lit(0.0);
            let v0 = u[1] - u[0];
            [[v0, zero, zero], [zero, u[0], zero], [zero, zero, -u[2]]]
        }
        #[inline]
        fn time_gradient<R: Real>(u: &[R; 3], p: &[R; 3], t: R) -> [R; 3] {
            let zero = R::lit(0.0);
            [zero, zero, zero]
        }
        fn rust_source() -> &'static str {
            "fn rhs<R: Real>(u: &[R; 3], p: &[R; 3], t: R) -> [R; 3] {\n    let v0 = u[1] - u[0];\n    let v1 = p[0] * v0;\n    let v2 = p[1] - u[2];\n    let v3 = u[0].mul_add(v2, -u[1]);\n    let v4 = u[0] * u[1];\n    let v5 = (-p[2]).mul_add(u[2], v4);\n    [v1, v3, v5]\n}\nfn jacobian<R: Real>(u: &[R; 3], p: &[R; 3], t: R) -> [[R; 3]; 3] {\n    let zero = R::lit(0.0);\n    let v0 = p[1] - u[2];\n    [[-p[0], p[0], zero], [v0, R::lit(-1.0), -u[0]], [u[1], u[0], -p[2]]]\n}\nfn parameter_jacobian<R: Real>(u: &[R; 3], p: &[R; 3], t: R) -> [[R; 3]; 3] {\n    let zero = R::lit(0.0);\n    let v0 = u[1] - u[0];\n    [[v0, zero, zero], [zero, u[0], zero], [zero, zero, -u[2]]]\n}\nfn time_gradient<R: Real>(u: &[R; 3], p: &[R; 3], t: R) -> [R; 3] {\n    let zero = R::lit(0.0);\n    [zero, zero, zero]\n}\n"
        }
        fn device_source() -> ::std::string::String {
            ::std::string::String::from(
                "struct System {\n    template<class R> static DEVICE Arr<R, 3> rhs(const Arr<R, 3>& u, const Arr<R, 3>& p, R t) {\n        auto v0 = (u[1] - u[0]);\n        auto v1 = (p[0] * v0);\n        auto v2 = (p[1] - u[2]);\n        auto v3 = m_mul_add(u[0], v2, (-u[1]));\n        auto v4 = (u[0] * u[1]);\n        auto v5 = m_mul_add((-p[2]), u[2], v4);\n        return array(v1, v3, v5);\n    }\n    template<class R> static DEVICE Arr<Arr<R, 3>, 3> jacobian(const Arr<R, 3>& u, const Arr<R, 3>& p, R t) {\n        auto zero = Real<R>::lit(0.0);\n        auto v0 = (p[1] - u[2]);\n        return array(array((-p[0]), p[0], zero), array(v0, Real<R>::lit((-1.0)), (-u[0])), array(u[1], u[0], (-p[2])));\n    }\n    template<class R> static DEVICE Arr<Arr<R, 3>, 3> parameter_jacobian(const Arr<R, 3>& u, const Arr<R, 3>& p, R t) {\n        auto zero = Real<R>::lit(0.0);\n        auto v0 = (u[1] - u[0]);\n        return array(array(v0, zero, zero), array(zero, u[0], zero), array(zero, zero, (-u[2])));\n    }\n    template<class R> static DEVICE Arr<R, 3> time_gradient(const Arr<R, 3>& u, const Arr<R, 3>& p, R t) {\n        auto zero = Real<R>::lit(0.0);\n        return array(zero, zero, zero);\n    }\n};\n",
            )
        }
    }
};
impl lorenz {
    /// What the compiler made of this system.
    #[allow(dead_code)]
    #[must_use]
    pub fn report() -> ::odes::__private::Report {
        ::odes::__private::Report::of::<Self, 3, 3>()
    }
}

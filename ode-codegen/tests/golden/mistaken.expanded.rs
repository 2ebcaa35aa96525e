::core::compile_error! {
    "`du[1]` is not assigned: each component needs a value on every path; assign it, if only to 0.0"
}
::core::compile_error! {
    "index 1 is out of range: the array has 1 element, of index 0"
}
::core::compile_error! {
    "`println!` cannot be used in a right-hand side: a lane has no output; print from the solution, after solving"
}
#[allow(unused)]
#[allow(non_camel_case_types)]
#[derive(
    ::core::clone::Clone,
    ::core::marker::Copy,
    ::core::fmt::Debug,
    ::core::default::Default,
    ::core::cmp::PartialEq,
    ::core::cmp::Eq,
)]
struct mistaken;
#[allow(deprecated)]
const _: () = {
    #[allow(dead_code, non_snake_case)]
    fn mistaken() {}
    impl mistaken {
        /// The right-hand side as it was written, compiled by rustc.
        #[allow(unused)]
        #[allow(dead_code)]
        fn call(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 1], _t: f64) {
            ::core::unreachable!()
        }
    }
};
#[allow(deprecated)]
const _: () = {
    use ::odes::__private::{
        LinearEquations as __LinearEquations, Operations as __Operations, Real as __Real,
        System as __System,
    };
    impl __System<2, 1> for mistaken {
        const NAME: &'static str = "";
        const STATES: [&'static str; 2] = [""; 2];
        const PARAMETERS: [&'static str; 1] = [""; 1];
        const JACOBIAN_PATTERN: &'static [(usize, usize)] = &[];
        const PARAMETER_PATTERN: &'static [(usize, usize)] = &[];
        const TIME_PATTERN: &'static [usize] = &[];
        const OPERATIONS: [__Operations; 4] = [__Operations::new([0; 6]); 4];
        const LINEAR: __LinearEquations = __LinearEquations::Loops {
            limit: 0,
        };
        type Factors<R: __Real> = [R; 2];
        fn rhs<R: __Real>(_: &[R; 2], _: &[R; 1], _: R) -> [R; 2] {
            ::core::unreachable!()
        }
        fn jacobian<R: __Real>(_: &[R; 2], _: &[R; 1], _: R) -> [[R; 2]; 2] {
            ::core::unreachable!()
        }
        fn parameter_jacobian<R: __Real>(_: &[R; 2], _: &[R; 1], _: R) -> [[R; 1]; 2] {
            ::core::unreachable!()
        }
        fn time_gradient<R: __Real>(_: &[R; 2], _: &[R; 1], _: R) -> [R; 2] {
            ::core::unreachable!()
        }
        fn factor<R: __Real>(_: &[R; 2], _: &[R; 1], _: R, _: R) -> Self::Factors<R> {
            ::core::unreachable!()
        }
        fn solve<R: __Real>(_: &Self::Factors<R>, _: &[R; 2]) -> [R; 2] {
            ::core::unreachable!()
        }
        fn negative<R: __Real>(_: &Self::Factors<R>) -> R::Mask {
            ::core::unreachable!()
        }
        fn device_source() -> ::std::string::String {
            ::core::unreachable!()
        }
    }
};
impl mistaken {
    #[allow(dead_code, missing_docs)]
    fn report() -> ::odes::__private::Report {
        ::core::unreachable!()
    }
}

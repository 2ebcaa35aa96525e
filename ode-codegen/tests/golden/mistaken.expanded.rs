::core::compile_error! {
    "`du[1]` is not assigned: each component needs a value on every path; assign it a value, such as 0.0"
}
::core::compile_error! {
    "index 1 is out of range: the array has 1 element, with index 0"
}
::core::compile_error! {
    "`println!` cannot be used in a right-hand side: a lane has no output; print from the solution"
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
        #[allow(clippy::needless_range_loop, clippy::trivially_copy_pass_by_ref)]
        #[allow(dead_code, clippy::must_use_candidate)]
        fn call(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 1], _t: f64) {
            ::core::unreachable!()
        }
    }
};
#[allow(deprecated)]
const _: () = {
    use ::odes::__private::{
        Rhs as __Rhs, Linearised as __Linearised, MassMatrix as __MassMatrix,
        Domain as __Domain, Observe as __Observe, Events as __Events,
        TimeBreaks as __TimeBreaks, DeviceSource as __DeviceSource,
        LinearEquations as __LinearEquations, Operations as __Operations, Real as __Real,
        Scalar as __Scalar, System as __System, SystemInfo as __SystemInfo,
    };
    impl __Rhs<2, 1> for mistaken {
        const AUTONOMOUS: bool = false;
        const WEIGHT: u32 = 0;
        fn rhs<R: __Real>(&self, _: &[R; 2], _: &[R; 1], _: R) -> [R; 2] {
            ::core::unreachable!()
        }
    }
    impl __Linearised<2, 1> for mistaken {
        type Factors<R: __Real> = [R; 2];
        fn jacobian<R: __Real>(&self, _: &[R; 2], _: &[R; 1], _: R) -> [[R; 2]; 2] {
            ::core::unreachable!()
        }
        fn parameter_jacobian<R: __Real>(
            &self,
            _: &[R; 2],
            _: &[R; 1],
            _: R,
        ) -> [[R; 1]; 2] {
            ::core::unreachable!()
        }
        fn time_gradient<R: __Real>(&self, _: &[R; 2], _: &[R; 1], _: R) -> [R; 2] {
            ::core::unreachable!()
        }
        fn factor<R: __Real>(
            &self,
            _: &[R; 2],
            _: &[R; 1],
            _: R,
            _: R,
        ) -> Self::Factors<R> {
            ::core::unreachable!()
        }
        fn solve<R: __Real>(&self, _: &Self::Factors<R>, _: &[R; 2]) -> [R; 2] {
            ::core::unreachable!()
        }
        fn negative<R: __Real>(&self, _: &Self::Factors<R>) -> R::Mask {
            ::core::unreachable!()
        }
    }
    impl __MassMatrix<2> for mistaken {}
    impl __Domain<2, 1> for mistaken {}
    impl __Observe<2, 1> for mistaken {}
    impl __Events<2, 1> for mistaken {}
    impl __TimeBreaks<1> for mistaken {}
    #[allow(unused_imports)]
    use ::odes::__private::{
        Learn as __Learn, Loss as __Loss, PullBack as __PullBack,
        PullBackEvents as __PullBackEvents,
    };
    impl __PullBackEvents<2, 1> for mistaken {}
    impl __PullBack<2, 1> for mistaken {
        type Pulled<R: __Real> = [R; 1];
        type Curve<R: __Real> = [R; 1];
        fn pull_back<R: __Real>(
            &self,
            _: &[R; 2],
            _: &[R; 1],
            _: R,
            _: &[R; 2],
        ) -> [R; 1] {
            ::core::unreachable!()
        }
        fn pulled_state<R: __Real>(&self, _: &[R; 1]) -> [R; 2] {
            ::core::unreachable!()
        }
        fn pulled_parameters<R: __Real>(&self, _: &[R; 1]) -> [R; 1] {
            ::core::unreachable!()
        }
        fn curve<R: __Real>(&self, _: &[R; 2], _: &[R; 2]) -> [R; 1] {
            ::core::unreachable!()
        }
        fn curve_more<R: __Real>(&self, _: &[R; 1], _: &[R; 2], _: &[R; 2]) -> [R; 1] {
            ::core::unreachable!()
        }
        fn curved<R: __Real>(
            &self,
            _: &[R; 2],
            _: &[R; 1],
            _: R,
            _: &[R; 1],
            _: &[R; 2],
        ) -> [R; 1] {
            ::core::unreachable!()
        }
        fn solve_transposed<R: __Real>(
            &self,
            _: &Self::Factors<R>,
            _: &[R; 2],
        ) -> [R; 2] {
            ::core::unreachable!()
        }
    }
    impl __Loss<2, 1> for mistaken {
        type Lost<R: __Real> = [R; 1];
        fn loss<R: __Real>(&self, _: &[R; 2], _: &[R; 1], _: R) -> [R; 1] {
            ::core::unreachable!()
        }
        fn lost_value<R: __Real>(&self, _: &[R; 1]) -> [R; 1] {
            ::core::unreachable!()
        }
        fn lost_state<R: __Real>(&self, _: &[R; 1]) -> [R; 2] {
            ::core::unreachable!()
        }
        fn lost_parameters<R: __Real>(&self, _: &[R; 1]) -> [R; 1] {
            ::core::unreachable!()
        }
    }
    impl __System<2, 1> for mistaken {
        type State<__T: __Scalar> = [__T; 2];
        type Parameters<__T: __Scalar> = [__T; 1];
        type Noise = ::odes::__private::NoNoise;
        fn info(&self) -> &'static __SystemInfo {
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

//! The CPU features of each instruction set, in one place for detection and compilation.
//!
//! `avx2! { macro rest }` is `macro! { ["avx2" "fma" …] rest }`.

macro_rules! avx2 {
    ($then:ident $($rest:tt)*) => {
        $then! { ["avx2" "fma" "bmi1" "bmi2" "lzcnt" "popcnt"] $($rest)* }
    };
}

macro_rules! avx512 {
    ($then:ident $($rest:tt)*) => {
        $then! {
            ["avx512f" "avx512dq" "avx512vl" "avx512bw" "avx2" "fma" "bmi1" "bmi2" "lzcnt" "popcnt"]
            $($rest)*
        }
    };
}

/// Returns whether this machine has all of the features.
macro_rules! detected {
    ([$($feature:tt)*]) => {
        $(std::arch::is_x86_feature_detected!($feature))&&*
    };
}

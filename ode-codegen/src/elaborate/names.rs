//! Names of constants in the standard library.

use crate::ast::Scalar;

/// Returns the value of a constant of the standard library, such as `std::f64::consts::PI`.
///
/// In an `f32` right-hand side the constant also has its `f64` value, which is narrowed to the
/// precision of the solve. Returns `None` for `consts` of the other float type, which rustc
/// rejects.
pub(crate) fn known_constant(path: &syn::Path, scalar: Scalar) -> Option<f64> {
    use std::f64::consts;
    let segments: Vec<String> = path.segments.iter().map(|s| s.ident.to_string()).collect();
    let mut segments: Vec<&str> = segments.iter().map(String::as_str).collect();
    if let Some(&"std" | &"core") = segments.first() {
        segments.remove(0);
    }
    let (module, name) = match segments[..] {
        [module, "consts", name] => (module, name),
        [module, name] => {
            let value = match (module, name) {
                ("f64", "EPSILON") => f64::EPSILON,
                ("f64", "MAX") => f64::MAX,
                ("f64", "MIN") => f64::MIN,
                ("f64", "MIN_POSITIVE") => f64::MIN_POSITIVE,
                ("f32", "EPSILON") => f64::from(f32::EPSILON),
                ("f32", "MAX") => f64::from(f32::MAX),
                ("f32", "MIN") => f64::from(f32::MIN),
                ("f32", "MIN_POSITIVE") => f64::from(f32::MIN_POSITIVE),
                ("f64" | "f32", "INFINITY") => f64::INFINITY,
                ("f64" | "f32", "NEG_INFINITY") => f64::NEG_INFINITY,
                ("f64" | "f32", "NAN") => f64::NAN,
                _ => return None,
            };
            return Some(value);
        }
        _ => return None,
    };
    if scalar.name() != module {
        return None;
    }
    Some(match name {
        "PI" => consts::PI,
        "TAU" => consts::TAU,
        "E" => consts::E,
        "SQRT_2" => consts::SQRT_2,
        "LN_2" => consts::LN_2,
        "LN_10" => consts::LN_10,
        "LOG2_E" => consts::LOG2_E,
        "LOG2_10" => consts::LOG2_10,
        "LOG10_E" => consts::LOG10_E,
        "LOG10_2" => consts::LOG10_2,
        "FRAC_1_PI" => consts::FRAC_1_PI,
        "FRAC_2_PI" => consts::FRAC_2_PI,
        "FRAC_1_SQRT_2" => consts::FRAC_1_SQRT_2,
        "FRAC_2_SQRT_PI" => consts::FRAC_2_SQRT_PI,
        "FRAC_PI_2" => consts::FRAC_PI_2,
        "FRAC_PI_3" => consts::FRAC_PI_3,
        "FRAC_PI_4" => consts::FRAC_PI_4,
        "FRAC_PI_6" => consts::FRAC_PI_6,
        "FRAC_PI_8" => consts::FRAC_PI_8,
        _ => return None,
    })
}

//! Names from other languages and libraries, and their equivalents here.

use super::refuse::as_method;
use crate::functions::Function;
use crate::similar::nearly_equal;

/// Functions and methods from elsewhere, by their names there, that are expressions here.
const EXPRESSIONS: [(&[&str], &str); 22] = [
    (&["square", "squared", "sqr"], "`x * x`"),
    (&["cube"], "`x * x * x`"),
    (&["fmod", "rem", "modulo"], "`x % y`, or `x.rem_euclid(y)`, which is never negative"),
    (&["sigmoid", "logistic", "expit"], "`1.0 / (1.0 + (-x).exp())`"),
    (&["heaviside", "step"], "`if x < 0.0 { 0.0 } else { 1.0 }`"),
    (&["relu"], "`x.max(0.0)`"),
    (&["sec"], "`1.0 / x.cos()`"),
    (&["csc", "cosec"], "`1.0 / x.sin()`"),
    (&["cot", "cotan"], "`1.0 / x.tan()`"),
    (&["exp10"], "`10.0_f64.powf(x)`"),
    (&["f64", "f32", "float", "double", "Float64", "to_f64", "as_f64"], "`n as f64`"),
    (
        &["int", "to_int", "as_int"],
        "`x.trunc()`, which stays a float, or an integer known at compile time",
    ),
    (&["length", "size", "numel", "shape"], "`u.len()`"),
    (&["range", "arange", "linspace"], "`for i in 0..n`"),
    (&["zeros", "ones", "zeros_like", "full", "empty"], "an array, such as `[0.0; 3]`"),
    (&["dot", "inner", "vdot"], "`a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>()`"),
    (&["norm", "magnitude"], "`u.iter().map(|x| x * x).sum::<f64>().sqrt()`"),
    (&["norm_squared", "norm2"], "`u.iter().map(|x| x * x).sum::<f64>()`"),
    (&["mean", "average"], "`u.iter().sum::<f64>() / u.len() as f64`"),
    (
        &["interp", "interp1", "interp1d"],
        "`interp_linear(&TABLE, x)`, with `x` counted in entries, or `interp_linear_at(&ABSCISSAE, &VALUES, x)`",
    ),
    (&["ifelse", "cond", "iif"], "`if condition { a } else { b }`"),
    (
        &["cross", "matmul", "mul_vec", "transpose", "det", "inverse", "inv"],
        "it out, element by element, with `for` and indices",
    ),
];

/// Functions of other libraries that have no equivalent here.
const SPECIAL: [&str; 14] = [
    "erf", "erfc", "gamma", "lgamma", "ln_gamma", "tgamma", "digamma", "beta", "besselj", "bessel",
    "sinc", "lambertw", "zeta", "airy",
];

/// Types and modules for vectors and matrices.
const VECTORS: [&str; 24] = [
    "nalgebra", "ndarray", "glam", "na", "Vector", "Vector2", "Vector3", "Vector4", "Vector6",
    "SVector", "DVector", "Matrix", "Matrix2", "Matrix3", "Matrix4", "SMatrix", "DMatrix",
    "Array1", "Array2", "DVec2", "DVec3", "Vec3", "DMat3", "Point3",
];

/// Sources of random numbers, and clocks.
const CHANCE: [&str; 16] = [
    "Instant",
    "SystemTime",
    "rand",
    "random",
    "randn",
    "uniform",
    "normal",
    "thread_rng",
    "rng",
    "gen",
    "gen_range",
    "random_range",
    "random_bool",
    "sample",
    "fastrand",
    "now",
];

/// Returns the equivalent expression.
pub(super) fn expression(theirs: &str) -> Option<String> {
    let found = EXPRESSIONS.iter().find(|(names, _)| names.contains(&theirs));
    if SPECIAL.contains(&theirs) {
        return Some(format!("an approximation of it as a function, `fn {theirs}(x: f64) -> f64`"));
    }
    found.map(|(_, expression)| (*expression).to_owned())
}

/// Returns whether this is a type of complex numbers, or their library.
pub(super) fn is_complex(name: &str) -> bool {
    matches!(name, "Complex" | "Complex64" | "Complex32" | "num_complex")
}

/// Returns why a path into a numerical library cannot be called.
pub(super) fn library<'a>(segments: impl IntoIterator<Item = &'a str>) -> Option<&'static str> {
    segments.into_iter().find_map(|segment| match segment {
        segment if is_complex(segment) => Some(
            "complex numbers are not supported; write the real and the imaginary part as two \
             floats",
        ),
        segment if VECTORS.contains(&segment) => Some(
            "vectors and matrices of libraries are not visible here; use arrays, such as \
             `[f64; 3]` and `[[f64; 3]; 3]`",
        ),
        segment if CHANCE.contains(&segment) => Some(
            "its value would differ between calls, and the solver chooses the points of its calls; \
             make it a parameter",
        ),
        _ => None,
    })
}

/// Returns whether this is a mathematics module of another language.
pub(super) fn is_module(name: &str) -> bool {
    const MODULES: [&str; 9] =
        ["Math", "math", "cmath", "np", "numpy", "jnp", "torch", "scipy", "Mathf"];
    MODULES.contains(&name)
}

/// Returns the equivalent of a constant at another path, such as `math::pi`, `M_PI` or `f64::PI`.
pub(super) fn constant(segments: &[String]) -> Option<&'static str> {
    let (name, module) = match segments {
        [name] if name.starts_with("M_") => (&name[2..], None),
        [.., module, name] => (name.as_str(), Some(module.as_str())),
        _ => return None,
    };
    let of_floats = matches!(module, Some("f64" | "f32"));
    if !module.is_none_or(|module| of_floats || is_module(module)) {
        return None;
    }
    match name {
        "PI" | "pi" => Some("std::f64::consts::PI"),
        "TAU" | "tau" => Some("std::f64::consts::TAU"),
        "E" | "e" => Some("std::f64::consts::E"),
        "SQRT2" | "SQRT_2" => Some("std::f64::consts::SQRT_2"),
        "inf" | "infty" | "Inf" => Some("f64::INFINITY"),
        "nan" | "NaN" => Some("f64::NAN"),
        _ => None,
    }
}

/// Returns the function that the user probably meant.
pub(super) fn meant(name: &str) -> Option<&'static str> {
    let nearly = || Function::names().find(|known| nearly_equal(known, name));
    Function::from_elsewhere(name).or_else(nearly)
}

/// Returns the message for a float function that is called as a free function.
pub(super) fn as_a_method(path: &str) -> Option<String> {
    let name = path.rsplit("::").next().unwrap_or(path);
    if name == "len" {
        return Some("`len` is a method of arrays; write `u.len()`".to_owned());
    }
    let name =
        Function::from_elsewhere(name).or_else(|| Function::from_name(name).map(|_| name))?;
    Some(format!(
        "`{path}` is not a free function: it is a method of floats; write {}",
        as_method(name)
    ))
}

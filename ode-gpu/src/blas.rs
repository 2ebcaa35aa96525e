//! cuBLAS, the library of matrix products, opened at run time.
//!
//! This module opens cuBLAS itself, without the bindings, for the reasons of
//! [`nvrtc`](crate::nvrtc). A missing library is an error and not a panic, and the library is found
//! inside PyPI wheels. Its companion `libcublasLt` is opened by full path first.

use std::ffi::{c_int, c_longlong, c_void};
use std::path::Path;
use std::ptr;
use std::sync::OnceLock;

use libloading::Library;
use ode_core::lane::Scalar;

use crate::error::{DriverCall, GpuError};
use crate::library::{self, CUBLAS, Places};
use crate::memory::Stream;

type Handle = *mut c_void;

type Number = *const c_void;

type Gemv = unsafe extern "C" fn(
    Handle,
    c_int,
    c_int,
    c_int,
    Number,
    Number,
    c_int,
    Number,
    c_int,
    Number,
    *mut c_void,
    c_int,
) -> c_int;

type Gemm = unsafe extern "C" fn(
    Handle,
    c_int,
    c_int,
    c_int,
    c_int,
    c_int,
    Number,
    Number,
    c_int,
    c_longlong,
    Number,
    c_int,
    c_longlong,
    Number,
    *mut c_void,
    c_int,
    c_longlong,
    c_int,
) -> c_int;

/// The functions of one precision. They take addresses of numbers.
#[derive(Debug)]
struct Functions {
    gemv: Gemv,
    gemm: Gemm,
}

/// cuBLAS's functions, as plain pointers.
///
/// They stay valid while `library` is loaded. Its `enum`s are read as integers, since a newer
/// library may return codes that are not in today's.
#[derive(Debug)]
struct Cublas {
    create: unsafe extern "C" fn(*mut Handle) -> c_int,
    destroy: unsafe extern "C" fn(Handle) -> c_int,
    set_stream: unsafe extern "C" fn(Handle, *mut c_void) -> c_int,
    set_math_mode: unsafe extern "C" fn(Handle, c_int) -> c_int,
    single: Functions,
    double: Functions,
    major: c_int,
    _library: Library,
    _companion: Option<Library>,
}

/// `CUBLAS_DEFAULT_MATH`: numbers of `f32` are not rounded.
const DEFAULT_MATH: c_int = 0;
/// `CUBLAS_TF32_TENSOR_OP_MATH`.
const TF32_MATH: c_int = 3;
/// `CUBLAS_OP_N`.
const AS_IT_IS: c_int = 0;

impl Cublas {
    /// Returns the process's library, which the first call finds and loads. The outcome is stored.
    fn get() -> Result<&'static Cublas, GpuError> {
        static LIBRARY: OnceLock<Result<Cublas, GpuError>> = OnceLock::new();
        LIBRARY
            .get_or_init(|| {
                let driver_major = crate::driver::cuda_version().map(|version| version.0);
                Cublas::load(&Places::from_env(&CUBLAS), driver_major)
            })
            .as_ref()
            .map_err(Clone::clone)
    }

    /// Loads the first usable candidate. A library for a newer CUDA than the driver's is rejected.
    fn load(places: &Places, driver_major: Option<u32>) -> Result<Cublas, GpuError> {
        places.find(&CUBLAS, Cublas::open, |cublas| {
            let is_newer = |driver| u32::try_from(cublas.major).unwrap_or(0) > driver;
            if driver_major.is_some_and(is_newer) {
                return Err(format!(
                    "is for CUDA {}, which is newer than the driver",
                    cublas.major
                ));
            }
            Ok(cublas)
        })
    }

    fn open(path: &Path) -> Result<Cublas, String> {
        let companion = companion(path);
        let library = library::open(path)?;
        let property: unsafe extern "C" fn(c_int, *mut c_int) -> c_int =
            symbol(&library, "cublasGetProperty")?;
        let mut major = 0;
        // SAFETY: property 0 is the major version, and the integer is valid for writes.
        let code = unsafe { property(0, &mut major) };
        if code != 0 {
            return Err(format!("cublasGetProperty failed with {code}"));
        }
        Ok(Cublas {
            create: symbol(&library, "cublasCreate_v2")?,
            destroy: symbol(&library, "cublasDestroy_v2")?,
            set_stream: symbol(&library, "cublasSetStream_v2")?,
            set_math_mode: symbol(&library, "cublasSetMathMode")?,
            single: Functions {
                gemv: symbol(&library, "cublasSgemv_v2")?,
                gemm: symbol(&library, "cublasSgemmStridedBatched")?,
            },
            double: Functions {
                gemv: symbol(&library, "cublasDgemv_v2")?,
                gemm: symbol(&library, "cublasDgemmStridedBatched")?,
            },
            major,
            _library: library,
            _companion: companion,
        })
    }
}

/// Opens the library that cuBLAS needs, from the same folder: the loader searches it by name only.
fn companion(path: &Path) -> Option<Library> {
    let name = path.file_name()?.to_str()?;
    let name = name.replace("cublas", "cublasLt");
    path.parent().filter(|folder| !folder.as_os_str().is_empty())?;
    library::open(path.with_file_name(name)).ok()
}

/// Looks a function up; `F` must be the function's type in `cublas_v2.h`.
fn symbol<F: Copy>(library: &Library, name: &str) -> Result<F, String> {
    // SAFETY: every caller in this module gives the type from `cublas_v2.h`; the pointer is used only
    // while the library stays loaded.
    unsafe { library.get::<F>(name) }
        .map(|f| *f)
        .map_err(|_| format!("the library lacks {name}; cuBLAS 11 or newer is needed"))
}

/// A handle of the library, for one stream.
#[derive(Debug)]
pub(crate) struct Blas {
    library: &'static Cublas,
    handle: Handle,
    stream: Stream,
}

// SAFETY: threads may use a handle in turn, with the device's context current.
unsafe impl Send for Blas {}

impl Blas {
    pub(crate) fn new(stream: &Stream, tf32: bool) -> Result<Blas, GpuError> {
        let library = Cublas::get()?;
        stream.context().bind_to_thread().call("cuCtxSetCurrent")?;
        let mut blas = Blas { library, handle: ptr::null_mut(), stream: stream.clone() };
        // SAFETY: the handle is valid for writes; the context is current.
        check("cublasCreate", unsafe { (library.create)(&mut blas.handle) })?;
        let queue = stream.raw().cu_stream().cast();
        // SAFETY: the handle was created above, and the stream outlives it.
        check("cublasSetStream", unsafe { (library.set_stream)(blas.handle, queue) })?;
        let mode = if tf32 { TF32_MATH } else { DEFAULT_MATH };
        // SAFETY: the handle was created above, and both modes are values of `cublasMath_t`.
        check("cublasSetMathMode", unsafe { (library.set_math_mode)(blas.handle, mode) })?;
        Ok(blas)
    }
}

impl Drop for Blas {
    fn drop(&mut self) {
        if !self.handle.is_null() && self.stream.context().bind_to_thread().is_ok() {
            // SAFETY: created by `cublasCreate`, and destroyed nowhere else. A failure has no
            // consequence.
            unsafe { (self.library.destroy)(self.handle) };
        }
    }
}

fn check(call: &'static str, code: c_int) -> Result<(), GpuError> {
    if code == 0 { Ok(()) } else { Err(GpuError::Blas { call, code }) }
}

/// A size in cuBLAS's type.
fn size(call: &'static str, size: usize) -> Result<c_int, GpuError> {
    c_int::try_from(size).map_err(|_| GpuError::TooLargeForBlas { call, size })
}

/// Matrices in device memory, column-major.
#[derive(Clone, Copy, Debug)]
pub struct Matrices {
    /// The address of the first number.
    pub at: u64,
    /// The distance from a column to the next one, in numbers.
    pub pitch: usize,
    /// The distance from a matrix to the next one, in numbers; 0 if all products use one matrix.
    pub stride: usize,
}

/// A product of `rows` by `inner` and `inner` by `columns` matrices, `batch` times.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct ProductShape {
    pub rows: usize,
    pub columns: usize,
    pub inner: usize,
    pub batch: usize,
}

impl Blas {
    fn functions<T: Scalar>(&self) -> &Functions {
        if T::DOUBLE { &self.library.double } else { &self.library.single }
    }

    /// Queues `out = beta out + alpha a b`.
    ///
    /// # Safety
    /// The matrices are in memory of the stream, whose context is current, and `out` overlaps
    /// neither factor.
    pub(crate) unsafe fn product<T: Scalar>(
        &self,
        ProductShape { rows, columns, inner, batch }: ProductShape,
        alpha: T,
        (a, b): (Matrices, Matrices),
        beta: T,
        out: Matrices,
    ) -> Result<(), GpuError> {
        let by_vector = columns == 1 && batch == 1;
        let call = if by_vector { "cublasgemv" } else { "cublasgemmStridedBatched" };
        let Functions { gemv, gemm } = self.functions::<T>();
        let pitch = |of: Matrices| size(call, of.pitch.max(1));
        let stride = |of: Matrices| of.stride as c_longlong;
        let [m, n, k, batch] = [rows, columns, inner, batch].map(|s| size(call, s));
        let (m, n, k, batch) = (m?, n?, k?, batch?);
        let (alpha, beta): (*const T, *const T) = (&alpha, &beta);
        let (alpha, beta) = (alpha.cast(), beta.cast());
        let (of_a, of_b, to) = (a.at as Number, b.at as Number, out.at as *mut c_void);
        let (pitch_a, pitch_b, pitch_out) = (pitch(a)?, pitch(b)?, pitch(out)?);
        // SAFETY: the caller guarantees that the matrices exist. The factors are numbers of this
        // precision on the stack, which the function reads before it returns.
        let code = unsafe {
            if by_vector {
                gemv(self.handle, AS_IT_IS, m, k, alpha, of_a, pitch_a, of_b, 1, beta, to, 1)
            } else {
                gemm(
                    self.handle,
                    AS_IT_IS,
                    AS_IT_IS,
                    m,
                    n,
                    k,
                    alpha,
                    of_a,
                    pitch_a,
                    stride(a),
                    of_b,
                    pitch_b,
                    stride(b),
                    beta,
                    to,
                    pitch_out,
                    stride(out),
                    batch,
                )
            }
        };
        check(call, code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_library_is_one_sentence_that_helps() {
        let places =
            Places { chosen: Some("/nowhere/libcublas.so.13".into()), ..Places::default() };
        let error = Cublas::load(&places, None).unwrap_err();
        let text = error.to_string();
        for part in ["libcublas.so.13", "ODES_CUBLAS (/nowhere", "pip install nvidia-cublas"] {
            assert!(text.contains(part), "{text}");
        }
        assert!(matches!(error, GpuError::Unavailable { .. }));
    }

    #[test]
    fn another_library_is_refused_without_harm() {
        let message = Cublas::open(Path::new("libc.so.6")).unwrap_err();
        assert!(message.contains("cublasGetProperty"), "{message}");
    }

    #[test]
    fn sizes_that_the_library_cannot_take_are_errors() {
        assert_eq!(size("x", 7).unwrap(), 7);
        let error = size("x", 1 << 31).unwrap_err();
        assert!(matches!(error, GpuError::TooLargeForBlas { size: 0x8000_0000, .. }));
    }
}

//! The run-time compiler: CUDA C++ text to machine code of one architecture.
//!
//! This module opens NVRTC itself, without the bindings' loader, for three reasons. A missing
//! library must be an error and not a panic. The library must be found inside PyPI wheels, which no
//! loader path reaches. NVRTC in turn opens `libnvrtc-builtins` by bare name, which only works if
//! that file, in the same folder, was opened by full path first.
//!
//! The output is a cubin, not PTX: `ptxas` runs here, in full, for the exact device, and the driver
//! compiles nothing. The driver rejects PTX from a compiler newer than the driver, but accepts a
//! cubin of the same CUDA major version. The search therefore prefers a compiler of the driver's
//! major version.

use std::ffi::{CStr, CString, c_char, c_int};
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::{Arc, OnceLock};

use libloading::Library;

use crate::error::GpuError;
use crate::library::{self, NVRTC, Places};

/// The options of every compilation.
///
/// The arithmetic options are needed for bit-identical results on CPU and GPU: multiply-adds fuse
/// only if the source requests it, division and square root are correctly rounded, and subnormals
/// are kept. The last option makes `ptxas` report registers and spills in the log.
const DEFAULT_OPTIONS: [&str; 6] = [
    "--std=c++17",
    "--fmad=false",
    "--ftz=false",
    "--prec-div=true",
    "--prec-sqrt=true",
    "--ptxas-options=-v",
];

/// The machine code of one program, with the compiler's log.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cubin {
    /// An ELF image for the driver, also readable by `cuobjdump`.
    pub code: Vec<u8>,
    /// Warnings, and the report of `ptxas` on each kernel's registers and spills.
    pub log: String,
}

/// An `nvrtcProgram`.
type Program = *mut std::ffi::c_void;

/// NVRTC's functions, as plain pointers.
///
/// They stay valid while `Nvrtc::_library` is loaded. `nvrtcResult` is read as an integer, because
/// a newer library may return codes that are not in today's `enum`.
#[derive(Debug, Clone, Copy)]
struct Functions {
    create: unsafe extern "C" fn(
        *mut Program,
        *const c_char,
        *const c_char,
        c_int,
        *const *const c_char,
        *const *const c_char,
    ) -> c_int,
    compile: unsafe extern "C" fn(Program, c_int, *const *const c_char) -> c_int,
    destroy: unsafe extern "C" fn(*mut Program) -> c_int,
    log_size: unsafe extern "C" fn(Program, *mut usize) -> c_int,
    log: unsafe extern "C" fn(Program, *mut c_char) -> c_int,
    cubin_size: unsafe extern "C" fn(Program, *mut usize) -> c_int,
    cubin: unsafe extern "C" fn(Program, *mut c_char) -> c_int,
    error_string: unsafe extern "C" fn(c_int) -> *const c_char,
}

/// The loaded compiler. Any number of threads may call its functions at once.
#[derive(Debug)]
pub struct Nvrtc {
    functions: Functions,
    version: (u32, u32),
    supported: Vec<u32>,
    path: PathBuf,
    identity: String,
    _library: Library,
    _builtins: Vec<Library>,
}

impl Nvrtc {
    /// Returns the process's compiler, which the first call finds and loads.
    ///
    /// Later calls return the same outcome.
    ///
    /// # Errors
    /// [`GpuError`] if no library is found, with the searched folders.
    pub fn get() -> Result<&'static Nvrtc, GpuError> {
        static COMPILER: OnceLock<Result<Nvrtc, GpuError>> = OnceLock::new();
        COMPILER
            .get_or_init(|| {
                let driver_major = crate::driver::cuda_version().map(|v| v.0);
                Nvrtc::load(&Places::from_env(&NVRTC), driver_major)
            })
            .as_ref()
            .map_err(Clone::clone)
    }

    /// Loads the first usable candidate. A compiler with a newer major version than the driver is
    /// used only if there is no other.
    pub(crate) fn load(places: &Places, driver_major: Option<u32>) -> Result<Nvrtc, GpuError> {
        let mut too_new: Option<Nvrtc> = None;
        let found = places.find(&NVRTC, Nvrtc::open, |nvrtc| {
            let fits = driver_major.is_none_or(|driver| nvrtc.version.0 <= driver);
            if fits || places.chosen.is_some() {
                return Ok(nvrtc);
            }
            too_new.get_or_insert(nvrtc);
            Err("is newer than the driver".to_owned())
        });
        found.or_else(|error| too_new.ok_or(error))
    }

    /// Opens one library file, or a bare name through the loader.
    fn open(path: &Path) -> Result<Nvrtc, String> {
        let library = library::open(path)?;
        let functions = Functions {
            create: symbol(&library, "nvrtcCreateProgram")?,
            compile: symbol(&library, "nvrtcCompileProgram")?,
            destroy: symbol(&library, "nvrtcDestroyProgram")?,
            log_size: symbol(&library, "nvrtcGetProgramLogSize")?,
            log: symbol(&library, "nvrtcGetProgramLog")?,
            cubin_size: symbol(&library, "nvrtcGetCUBINSize")?,
            cubin: symbol(&library, "nvrtcGetCUBIN")?,
            error_string: symbol(&library, "nvrtcGetErrorString")?,
        };
        let version = version(&library)?;
        let supported = supported_archs(&library)?;
        let builtins = match path.parent().filter(|p| !p.as_os_str().is_empty()) {
            Some(folder) => open_builtins(folder, version),
            None => Vec::new(),
        };
        // The version has no patch level; the file's size distinguishes builds.
        let size = path.metadata().map_or(0, |m| m.len());
        let identity = format!("nvrtc {}.{} {size}", version.0, version.1);
        Ok(Nvrtc {
            functions,
            version,
            supported,
            path: path.to_path_buf(),
            identity,
            _library: library,
            _builtins: builtins,
        })
    }

    /// Returns the major and minor version.
    pub fn version(&self) -> (u32, u32) {
        self.version
    }

    /// Returns the loaded file, or the bare name if the loader found it by itself.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the text that distinguishes this compiler's output from another's, for the cache
    /// key.
    pub(crate) fn identity(&self) -> &str {
        &self.identity
    }

    /// Returns the supported compute capabilities, as 75, 80, 90, ascending.
    pub fn supported_archs(&self) -> &[u32] {
        &self.supported
    }

    /// Returns the architecture to compile for, on a device of this compute capability.
    ///
    /// This is the device's own architecture if the compiler supports it. Otherwise it is the
    /// highest one below it with the same major version, whose code the device runs too.
    ///
    /// # Errors
    /// [`GpuError`] if the compiler supports no architecture whose code the device runs.
    pub fn arch_for(&self, capability: (u32, u32)) -> Result<String, GpuError> {
        let own = capability.0 * 10 + capability.1;
        let fits = |arch: &&u32| **arch / 10 == capability.0 && **arch <= own;
        match self.supported.iter().rev().find(fits) {
            Some(arch) => Ok(format!("sm_{arch}")),
            None => Err(GpuError::UnsupportedArch {
                arch: format!("sm_{own}"),
                supported: self.supported.iter().map(|a| format!("sm_{a}")).collect(),
                version: self.version,
                library: self.path.display().to_string(),
                newer_needed: self.supported.last().is_none_or(|last| *last < own),
            }),
        }
    }

    /// Returns the options of a compilation: the defaults, then the caller's.
    pub(crate) fn options(arch: &str, more: &[String]) -> Vec<String> {
        let mut options = vec![format!("--gpu-architecture={arch}")];
        options.extend(DEFAULT_OPTIONS.map(str::to_owned));
        options.extend_from_slice(more);
        options
    }

    /// Compiles `source` for `arch` (as `sm_90`). The log uses `name` for the program.
    ///
    /// # Errors
    /// [`GpuError::Compile`] with the log if the program has errors.
    pub fn compile(
        &self,
        source: &str,
        name: &str,
        arch: &str,
        options: &[String],
    ) -> Result<Cubin, GpuError> {
        let nul = |what: &'static str| GpuError::Nvrtc {
            call: "nvrtcCreateProgram",
            code: 0,
            text: format!("the {what} contains a NUL character"),
            log: String::new(),
        };
        let source_c = CString::new(source).map_err(|_| nul("source"))?;
        let name_c = CString::new(name).map_err(|_| nul("program's name"))?;
        let options = Nvrtc::options(arch, options);
        let options_c: Vec<CString> = options
            .into_iter()
            .map(|o| CString::new(o).map_err(|_| nul("options")))
            .collect::<Result<_, _>>()?;
        let option_pointers: Vec<*const c_char> = options_c.iter().map(|o| o.as_ptr()).collect();
        let option_count = c_int::try_from(option_pointers.len()).map_err(|_| nul("options"))?;

        let mut program = Owned { functions: &self.functions, program: ptr::null_mut() };
        // SAFETY: the strings are NUL-terminated and live through the call; with zero headers
        // the header arrays may be null; `program` is written on success.
        let code = unsafe {
            (self.functions.create)(
                &mut program.program,
                source_c.as_ptr(),
                name_c.as_ptr(),
                0,
                ptr::null(),
                ptr::null(),
            )
        };
        self.check("nvrtcCreateProgram", code)?;
        // SAFETY: the program was created above; the pointer array has `option_count` entries,
        // each a NUL-terminated string that lives through the call.
        let code = unsafe {
            (self.functions.compile)(program.program, option_count, option_pointers.as_ptr())
        };
        let log = program.log();
        if code == COMPILATION_ERROR {
            return Err(GpuError::Compile {
                kernel: name.to_owned(),
                arch: arch.to_owned(),
                log,
                source_text: Arc::from(source),
            });
        }
        self.check("nvrtcCompileProgram", code).map_err(|e| with_log(e, &log))?;

        let mut size = 0;
        // SAFETY: the program is compiled, and `size` is valid for writes.
        let code = unsafe { (self.functions.cubin_size)(program.program, &mut size) };
        self.check("nvrtcGetCUBINSize", code)?;
        let mut cubin = vec![0u8; size];
        // SAFETY: the buffer has the size that NVRTC just returned.
        let code = unsafe { (self.functions.cubin)(program.program, cubin.as_mut_ptr().cast()) };
        self.check("nvrtcGetCUBIN", code)?;
        Ok(Cubin { code: cubin, log })
    }

    fn check(&self, call: &'static str, code: c_int) -> Result<(), GpuError> {
        if code == 0 {
            return Ok(());
        }
        // SAFETY: the function accepts any integer and returns a static string, or null.
        let text = unsafe { (self.functions.error_string)(code) };
        let text = if text.is_null() {
            "unknown".to_owned()
        } else {
            // SAFETY: not null, hence a NUL-terminated string of static lifetime.
            unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
        };
        Err(GpuError::Nvrtc { call, code, text, log: String::new() })
    }
}

/// `NVRTC_ERROR_COMPILATION`.
const COMPILATION_ERROR: c_int = 6;

/// A program that is destroyed on every path.
struct Owned<'a> {
    functions: &'a Functions,
    program: Program,
}

impl Owned<'_> {
    /// Returns the log so far, or an empty string if there is none.
    fn log(&self) -> String {
        let mut size = 0;
        // SAFETY: the program exists, and `size` is valid for writes.
        let code = unsafe { (self.functions.log_size)(self.program, &mut size) };
        if code != 0 || size == 0 {
            return String::new();
        }
        let mut log = vec![0u8; size];
        // SAFETY: the buffer has the size that NVRTC just returned, including the final NUL.
        let code = unsafe { (self.functions.log)(self.program, log.as_mut_ptr().cast()) };
        if code != 0 {
            return String::new();
        }
        while log.last() == Some(&0) {
            log.pop();
        }
        String::from_utf8_lossy(&log).into_owned()
    }
}

impl Drop for Owned<'_> {
    fn drop(&mut self) {
        if !self.program.is_null() {
            // SAFETY: created by `nvrtcCreateProgram` and not destroyed elsewhere.
            unsafe { (self.functions.destroy)(&mut self.program) };
        }
    }
}

fn with_log(error: GpuError, text: &str) -> GpuError {
    match error {
        GpuError::Nvrtc { call, code, text: name, .. } => {
            GpuError::Nvrtc { call, code, text: name, log: text.to_owned() }
        }
        other => other,
    }
}

/// Looks a function up; `F` must be the function's type in `nvrtc.h`.
fn symbol<F: Copy>(library: &Library, name: &str) -> Result<F, String> {
    // SAFETY: every caller in this module gives the type from `nvrtc.h`; the pointer is used
    // only while the library stays loaded.
    unsafe { library.get::<F>(name) }
        .map(|f| *f)
        .map_err(|_| format!("the library lacks {name}; NVRTC 11.2 or newer is needed"))
}

fn version(library: &Library) -> Result<(u32, u32), String> {
    type Version = unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int;
    let version: Version = symbol(library, "nvrtcVersion")?;
    let (mut major, mut minor) = (0, 0);
    // SAFETY: both integers are valid for writes.
    let code = unsafe { version(&mut major, &mut minor) };
    match (code, u32::try_from(major), u32::try_from(minor)) {
        (0, Ok(major), Ok(minor)) => Ok((major, minor)),
        _ => Err(format!("nvrtcVersion failed with {code}")),
    }
}

fn supported_archs(library: &Library) -> Result<Vec<u32>, String> {
    type Count = unsafe extern "C" fn(*mut c_int) -> c_int;
    let count: Count = symbol(library, "nvrtcGetNumSupportedArchs")?;
    let list: Count = symbol(library, "nvrtcGetSupportedArchs")?;
    let mut n: c_int = 0;
    // SAFETY: the integer is valid for writes.
    let code = unsafe { count(&mut n) };
    if code != 0 {
        return Err(format!("nvrtcGetNumSupportedArchs failed with {code}"));
    }
    let mut archs = vec![0 as c_int; usize::try_from(n).unwrap_or(0)];
    // SAFETY: the vector has as many integers as NVRTC just counted.
    let code = unsafe { list(archs.as_mut_ptr()) };
    if code != 0 {
        return Err(format!("nvrtcGetSupportedArchs failed with {code}"));
    }
    let mut archs: Vec<u32> = archs.into_iter().filter_map(|a| u32::try_from(a).ok()).collect();
    archs.sort_unstable();
    Ok(archs)
}

/// Opens `libnvrtc-builtins` by full path, so that it is loaded when NVRTC opens it by bare name.
///
/// If a folder contains several versions, only the one of this compiler is opened.
fn open_builtins(folder: &Path, version: (u32, u32)) -> Vec<Library> {
    let exact = if cfg!(windows) {
        format!("nvrtc-builtins64_{}{}.dll", version.0, version.1)
    } else {
        format!("libnvrtc-builtins.so.{}.{}", version.0, version.1)
    };
    if let Ok(library) = library::open(folder.join(exact)) {
        return vec![library];
    }
    let Ok(entries) = folder.read_dir() else { return Vec::new() };
    entries
        .flatten()
        .filter(|e| e.file_name().to_string_lossy().contains("nvrtc-builtins"))
        .filter_map(|e| library::open(e.path()).ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_compiler_is_one_sentence_that_helps() {
        let places = Places { chosen: Some("/nowhere/libnvrtc.so.13".into()), ..Places::default() };
        let error = Nvrtc::load(&places, None).unwrap_err();
        let text = error.to_string();
        for part in ["libnvrtc.so.13", "ODES_NVRTC (/nowhere", "pip install nvidia-cuda-nvrtc"] {
            assert!(text.contains(part), "{text}");
        }
        assert!(matches!(error, GpuError::Unavailable { .. }));
    }

    #[test]
    fn another_library_is_refused_without_harm() {
        let Some(libc) =
            ["libc.so.6", "libSystem.B.dylib"].into_iter().find(|name| library::open(name).is_ok())
        else {
            return;
        };
        let message = Nvrtc::open(Path::new(libc)).unwrap_err();
        assert!(message.contains("nvrtcCreateProgram"), "{message}");
    }
}

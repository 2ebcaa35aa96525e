//! The library, its functions and its constants.

use core::error::Error as _;
use core::ffi::{c_char, c_int, c_void};
use std::path::PathBuf;

use libloading::Library;

pub(super) type Comm = *mut c_void;
type Datatype = *mut c_void;
type Info = *mut c_void;

/// `MPI_COMM_WORLD`.
pub(super) const COMM_WORLD: Comm = core::ptr::without_provenance_mut(0x101);
/// `MPI_BYTE`.
pub(super) const BYTE: Datatype = core::ptr::without_provenance_mut(0x247);
/// `MPI_INFO_NULL`.
pub(super) const INFO_NULL: Info = core::ptr::without_provenance_mut(0x130);
/// `MPI_COMM_TYPE_SHARED`.
pub(super) const TYPE_SHARED: c_int = 221;
/// `MPI_ANY_SOURCE`.
pub(super) const ANY_SOURCE: c_int = -1;
/// `MPI_THREAD_SERIALIZED`.
pub(super) const SERIALIZED: c_int = 2048;
/// `MPI_MAX_LIBRARY_VERSION_STRING`.
const VERSION: usize = 8192;

/// `MPI_Status`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Status {
    pub(super) source: c_int,
    tag: c_int,
    error: c_int,
    reserved: [c_int; 5],
}

/// The functions of a library, which stays loaded.
macro_rules! functions {
    ($($field:ident: $name:literal ($($argument:ty),*);)*) => {
        pub(super) struct Functions {
            $(pub(super) $field: unsafe extern "C" fn($($argument),*) -> c_int,)*
            _library: Library,
        }

        impl Functions {
            fn of(library: Library) -> Result<Self, libloading::Error> {
                // SAFETY: in a library of this name the functions have the types of the standard's ABI.
                // They are not called after the library is unloaded, which is with this value.
                unsafe {
                    $(let $field = *library.get($name)?;)*
                    Ok(Functions { $($field,)* _library: library })
                }
            }
        }
    };
}
functions! {
    init_thread: b"MPI_Init_thread\0" (*mut c_int, *mut *mut *mut c_char, c_int, *mut c_int);
    initialized: b"MPI_Initialized\0" (*mut c_int);
    query_thread: b"MPI_Query_thread\0" (*mut c_int);
    finalize: b"MPI_Finalize\0" ();
    abort: b"MPI_Abort\0" (Comm, c_int);
    comm_dup: b"MPI_Comm_dup\0" (Comm, *mut Comm);
    comm_rank: b"MPI_Comm_rank\0" (Comm, *mut c_int);
    comm_size: b"MPI_Comm_size\0" (Comm, *mut c_int);
    comm_split_type: b"MPI_Comm_split_type\0" (Comm, c_int, c_int, Info, *mut Comm);
    bcast: b"MPI_Bcast\0" (*mut c_void, c_int, Datatype, c_int, Comm);
    send: b"MPI_Send\0" (*const c_void, c_int, Datatype, c_int, c_int, Comm);
    recv: b"MPI_Recv\0" (*mut c_void, c_int, Datatype, c_int, c_int, Comm, *mut Status);
    iprobe: b"MPI_Iprobe\0" (c_int, c_int, Comm, *mut c_int, *mut Status);
    get_library_version: b"MPI_Get_library_version\0" (*mut c_char, *mut c_int);
}

/// The library that the standard names. (`libmpi_abi.so` may be a script for linkers.)
const NAME: &str = "libmpi_abi.so.1";

impl Functions {
    /// The first library that can be loaded: that of `ODES_MPI`, of the loader's folders, of the
    /// Python or Conda environment, or beside a program in `PATH`, as that of `mpiexec` is.
    pub(super) fn load() -> Result<Self, String> {
        let variable = |name: &str| std::env::var_os(name).map(PathBuf::from);
        let mut places: Vec<PathBuf> = Vec::new();
        if let Some(own) = variable("ODES_MPI") {
            places.push(own);
        } else {
            places.push(NAME.into());
            let path = std::env::var_os("PATH").unwrap_or_default();
            let folders = ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().filter_map(variable);
            let folders = folders.chain(std::env::split_paths(&path).map(|bin| bin.join("..")));
            let files = folders.map(|folder| folder.join("lib").join(NAME));
            places.extend(files.filter(|file| file.exists()));
        }
        let mut why = Vec::new();
        for place in places {
            // SAFETY: the initialisers of an MPI library do nothing that asks for more than to run once.
            let library = unsafe { Library::new(&place) };
            match library.and_then(Functions::of) {
                Ok(functions) => return Ok(functions),
                // What the loader says.
                Err(error) => why.push(match error.source() {
                    Some(source) => source.to_string(),
                    None => format!("{}: {error}", place.display()),
                }),
            }
        }
        Err(why.join("; "))
    }

    /// What the library says it is.
    pub(super) fn version(&self) -> String {
        let (mut text, mut length) = (vec![0u8; VERSION], 0);
        // SAFETY: the standard says how long the text may be, and that this may be asked at any time.
        unsafe { (self.get_library_version)(text.as_mut_ptr().cast(), &raw mut length) };
        text.truncate(length.max(0) as usize);
        let text = String::from_utf8_lossy(&text).into_owned();
        text.lines().next().unwrap_or_default().trim().to_owned()
    }
}

unsafe extern "C" {
    // Of GNU's and BSD's C libraries; `atexit` does not tell the status.
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    fn on_exit(function: extern "C" fn(c_int, *mut c_void), argument: *mut c_void) -> c_int;
}

/// Calls a function with the process's status when it ends.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(super) fn at_exit(function: extern "C" fn(c_int, *mut c_void)) {
    // SAFETY: the function lives as long as the process, and ignores its argument.
    let _ = unsafe { on_exit(function, core::ptr::null_mut()) };
}

/// Elsewhere MPI does not end before the process, which launchers report.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(super) fn at_exit(_: extern "C" fn(c_int, *mut c_void)) {}

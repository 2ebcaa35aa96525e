//! MPI through its standard ABI, loaded at run time.
//!
//! Since MPI 5.0 the standard defines the binary interface: the library is `libmpi_abi.so.1`, and
//! handles are pointers with fixed values. (Source: "MPI: A Message-Passing Interface Standard,
//! version 5.0", chapter "Application Binary Interface"; the values are those in its `mpi.h`.) One
//! binary therefore runs with every MPI that has this library, and the build needs no MPI.
//! `pip install mpich` provides one.

use core::error::Error as _;
use core::ffi::{c_char, c_int, c_void};
use std::path::PathBuf;

use super::library::{Library, Started, Tag};

type Comm = *mut c_void;
type Datatype = *mut c_void;
type Info = *mut c_void;
type Request = *mut c_void;
type ErrorHandler = *mut c_void;

/// `MPI_COMM_WORLD`.
const COMM_WORLD: Comm = core::ptr::without_provenance_mut(0x101);
/// `MPI_BYTE`.
const BYTE: Datatype = core::ptr::without_provenance_mut(0x247);
/// `MPI_ERRORS_ARE_FATAL`.
const ERRORS_ARE_FATAL: ErrorHandler = core::ptr::without_provenance_mut(0x141);
/// `MPI_INFO_NULL`.
const INFO_NULL: Info = core::ptr::without_provenance_mut(0x130);
/// `MPI_COMM_TYPE_SHARED`.
const TYPE_SHARED: c_int = 221;
/// `MPI_ANY_SOURCE`.
const ANY_SOURCE: c_int = -1;
/// `MPI_THREAD_SERIALIZED`.
const SERIALIZED: c_int = 2048;
/// `MPI_MAX_LIBRARY_VERSION_STRING`.
const VERSION: usize = 8192;

/// `MPI_Status`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
struct Status {
    source: c_int,
    tag: c_int,
    error: c_int,
    reserved: [c_int; 5],
}

/// The functions of a library, which stays loaded.
macro_rules! functions {
    ($($field:ident: $name:literal ($($argument:ty),*);)*) => {
        struct Functions {
            $($field: unsafe extern "C" fn($($argument),*) -> c_int,)*
            _library: libloading::Library,
        }

        impl Functions {
            fn of(library: libloading::Library) -> Result<Self, libloading::Error> {
                // SAFETY: in a library of this name the functions have the types of the standard's
                // ABI. They are not called after the library is unloaded, since this value owns
                // both.
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
    comm_set_errhandler: b"MPI_Comm_set_errhandler\0" (Comm, ErrorHandler);
    ibcast: b"MPI_Ibcast\0" (*mut c_void, c_int, Datatype, c_int, Comm, *mut Request);
    ibarrier: b"MPI_Ibarrier\0" (Comm, *mut Request);
    test: b"MPI_Test\0" (*mut Request, *mut c_int, *mut Status);
    isend: b"MPI_Isend\0" (*const c_void, c_int, Datatype, c_int, c_int, Comm, *mut Request);
    irecv: b"MPI_Irecv\0" (*mut c_void, c_int, Datatype, c_int, c_int, Comm, *mut Request);
    iprobe: b"MPI_Iprobe\0" (c_int, c_int, Comm, *mut c_int, *mut Status);
    get_library_version: b"MPI_Get_library_version\0" (*mut c_char, *mut c_int);
}

/// The standard's name of the library. (`libmpi_abi.so` may be a linker script.)
const NAME: &str = "libmpi_abi.so.1";

impl Functions {
    /// Loads the first usable library. The candidates are `ODES_MPI`, the loader's folders, the
    /// Python or Conda environment, and the folders next to the programs in `PATH`, such as
    /// `mpiexec`.
    fn load() -> Result<Self, String> {
        let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let variable = |name: &str| set(name).map(PathBuf::from);
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
        if set("ODES_MPI").is_some() {
            why.push("`ODES_MPI` names the library".to_owned());
        }
        for place in places {
            // SAFETY: the initialisers of an MPI library only require to run once.
            let library = unsafe { libloading::Library::new(&place) };
            match library.and_then(Functions::of) {
                Ok(functions) => return Ok(functions),
                // The loader's message.
                Err(error) => why.push(match error.source() {
                    Some(source) => source.to_string(),
                    None => format!("{}: {error}", place.display()),
                }),
            }
        }
        Err(why.join("; "))
    }

    /// Returns the version string of the library.
    fn version(&self) -> String {
        let (mut text, mut length) = (vec![0u8; VERSION], 0);
        // SAFETY: the standard limits the length of the text, and allows this call at any time.
        unsafe { (self.get_library_version)(text.as_mut_ptr().cast(), &raw mut length) };
        text.truncate(length.max(0) as usize);
        let text = String::from_utf8_lossy(&text).into_owned();
        text.lines().next().unwrap_or_default().trim().to_owned()
    }
}

/// The loaded library.
pub(super) struct Mpi {
    functions: Functions,
    /// A duplicate communicator, which separates these messages from the program's own.
    comm: Comm,
}

// SAFETY: the handles belong to the library, which accepts them from any thread, one call at a
// time, if it was started for this. `Library` restricts the callers.
unsafe impl Send for Mpi {}
// SAFETY: a shared reference only passes the handles to the library. `Library` lets one thread at a
// time call.
unsafe impl Sync for Mpi {}

impl Mpi {
    /// Completes the operation that `begin` starts. Between its polls, it calls `rest`.
    fn complete(&self, rest: &mut dyn FnMut(), begin: impl FnOnce(*mut Request) -> c_int) {
        let (mut request, mut done) = (core::ptr::null_mut(), 0);
        // The error codes are ignored: the communicator's handler ends the program on an error.
        begin(&raw mut request);
        loop {
            // SAFETY: `request` is the request of `begin` until it is done; the status is optional.
            unsafe {
                let none = core::ptr::null_mut();
                (self.functions.test)(&raw mut request, &raw mut done, none);
            }
            if done != 0 {
                return;
            }
            rest();
        }
    }
}

impl Library for Mpi {
    const WHOSE: &'static str =
        "an MPI with `libmpi_abi.so.1`, such as the MPI of `pip install mpich`";

    fn start() -> Result<(Self, Started), String> {
        let functions = Functions::load();
        let functions = functions.map_err(|why| format!("no MPI library was found: {why}"))?;
        let library = functions.version();
        let done = |function, code| match code {
            0 => Ok(()),
            code => Err(format!("{function} of {library} failed with error {code}")),
        };
        let (mut started, mut level) = (0, 0);
        // SAFETY: the library's functions, with arguments as in the standard; all pointers are to
        // variables of this function, which live during the call.
        unsafe {
            done("MPI_Initialized", (functions.initialized)(&raw mut started))?;
            if started == 0 {
                let (argc, argv) = (core::ptr::null_mut(), core::ptr::null_mut());
                let init = (functions.init_thread)(argc, argv, SERIALIZED, &raw mut level);
                done("MPI_Init_thread", init)?;
            } else {
                done("MPI_Query_thread", (functions.query_thread)(&raw mut level))?;
            }
        }
        let (mut comm, mut local) = (COMM_WORLD, COMM_WORLD);
        let (mut rank, mut of, mut local_rank) = (0, 0, 0);
        // SAFETY: the block above has started MPI, or the program had. The arguments are as in the
        // standard, and all pointers are to variables of this function, which live during the call.
        unsafe {
            done("MPI_Comm_dup", (functions.comm_dup)(COMM_WORLD, &raw mut comm))?;
            // The duplicate inherits the program's handler, which may return errors.
            let fatal = (functions.comm_set_errhandler)(comm, ERRORS_ARE_FATAL);
            done("MPI_Comm_set_errhandler", fatal)?;
            done("MPI_Comm_rank", (functions.comm_rank)(comm, &raw mut rank))?;
            done("MPI_Comm_size", (functions.comm_size)(comm, &raw mut of))?;
            let split =
                (functions.comm_split_type)(comm, TYPE_SHARED, 0, INFO_NULL, &raw mut local);
            done("MPI_Comm_split_type", split)?;
            done("MPI_Comm_rank", (functions.comm_rank)(local, &raw mut local_rank))?;
        }
        let [rank, of, local_rank] = [rank, of, local_rank].map(|number| number as usize);
        let (any_thread, by_us) = (level >= SERIALIZED, started == 0);
        let started = Started { rank, of, local_rank, any_thread, by_us };
        Ok((Mpi { functions, comm }, started))
    }

    fn send(&self, to: usize, tag: Tag, bytes: &[u8], rest: &mut dyn FnMut()) {
        let (start, count) = (bytes.as_ptr().cast::<c_void>(), bytes.len() as c_int);
        let (to, tag) = (to as c_int, tag as c_int);
        // SAFETY: `start` points to `count` bytes, which live until `complete` returns.
        self.complete(rest, |request| unsafe {
            (self.functions.isend)(start, count, BYTE, to, tag, self.comm, request)
        });
    }

    fn probe(&self, from: Option<usize>, tag: Tag) -> Option<usize> {
        let from = from.map_or(ANY_SOURCE, |from| from as c_int);
        let (mut flag, mut status) = (0, Status::default());
        // SAFETY: both variables live during the call.
        unsafe {
            let (flag, status) = (&raw mut flag, &raw mut status);
            (self.functions.iprobe)(from, tag as c_int, self.comm, flag, status);
        }
        (flag != 0).then_some(status.source as usize)
    }

    fn receive(&self, from: usize, tag: Tag, bytes: &mut [u8], rest: &mut dyn FnMut()) {
        let (start, count) = (bytes.as_mut_ptr().cast::<c_void>(), bytes.len() as c_int);
        let (from, tag) = (from as c_int, tag as c_int);
        // SAFETY: `start` points to `count` bytes, which are borrowed exclusively until `complete`
        // returns.
        self.complete(rest, |request| unsafe {
            (self.functions.irecv)(start, count, BYTE, from, tag, self.comm, request)
        });
    }

    fn broadcast(&self, root: usize, bytes: &mut [u8], rest: &mut dyn FnMut()) {
        let (start, count) = (bytes.as_mut_ptr().cast::<c_void>(), bytes.len() as c_int);
        let root = root as c_int;
        // SAFETY: `start` points to `count` bytes, which are borrowed exclusively until `complete`
        // returns; the count is the same on all ranks.
        self.complete(rest, |request| unsafe {
            (self.functions.ibcast)(start, count, BYTE, root, self.comm, request)
        });
    }

    fn meet(&self, rest: &mut dyn FnMut()) {
        // SAFETY: the request lives during the call.
        self.complete(rest, |request| unsafe { (self.functions.ibarrier)(self.comm, request) });
    }

    fn finalize(&self) {
        // SAFETY: MPI was started by `start`, and no thread calls it any more.
        unsafe {
            (self.functions.finalize)();
        }
    }

    fn abort(&self, status: i32) -> ! {
        // SAFETY: between the start and the end of MPI.
        unsafe {
            (self.functions.abort)(COMM_WORLD, status);
        }
        std::process::abort()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use odes_skipped::Needed;
    use std::process::Command;

    /// Set in the child process, which causes an error.
    const CHILD: &str = "CLUSTER_TEST_MPI_ERROR";

    /// The library ends a process with an invalid message, even if the program's handler returns
    /// errors.
    #[test]
    fn an_error_ends_the_program_whatever_it_has_set() {
        if std::env::var_os(CHILD).is_some() {
            return send_to_nobody();
        }
        if std::env::var_os("ODES_MPI").is_none() {
            return Needed::Mpi.is_missing("ODES_MPI is not set".to_owned());
        }
        let name = std::thread::current().name().unwrap_or_default().to_owned();
        let mut child = Command::new(std::env::current_exe().unwrap());
        let output =
            child.args([&name, "--exact", "--nocapture"]).env(CHILD, "1").output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.contains("sends") && !text.contains("has sent"), "{text}");
        assert!(!output.status.success());
    }

    fn send_to_nobody() {
        /// `MPI_ERRORS_RETURN`.
        const ERRORS_RETURN: ErrorHandler = core::ptr::without_provenance_mut(0x143);
        let functions = Functions::load().unwrap();
        let (argc, argv, mut level) = (core::ptr::null_mut(), core::ptr::null_mut(), 0);
        // SAFETY: the standard allows null pointers in place of the program's arguments, and `level`
        // lives during the call. This process has not started MPI before.
        unsafe {
            (functions.init_thread)(argc, argv, SERIALIZED, &raw mut level);
            (functions.comm_set_errhandler)(COMM_WORLD, ERRORS_RETURN);
        }
        let (mpi, _) = Mpi::start().unwrap();
        println!("sends");
        mpi.send(5, Tag::Ask, &[1], &mut || panic!("waits for nobody"));
        println!("has sent");
    }
}

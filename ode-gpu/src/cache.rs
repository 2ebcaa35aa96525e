//! Compiled kernels on disk, so that a second run starts without the compiler's half second.
//!
//! An entry's name is a BLAKE3 hash of all data that its contents depend on: the source, the
//! options, the architecture, the compiler and the layout of the entry. An entry is the cubin
//! itself, followed by a trailer. ELF readers ignore bytes behind the image, so `cuobjdump` reads
//! entries directly:
//!
//! ```text
//! cubin | log | cubin length, u64 | log length, u64 | key, 32 bytes | hash, 32 bytes | magic
//! ```
//!
//! Entries are written to a temporary file and renamed. A reader therefore reads a complete entry
//! or none, even if several processes write. An entry that a crash or a full disk has damaged fails
//! the hash check, counts as absent, and is replaced. The cache never returns an error: if it does
//! not work, kernels are compiled.
//!
//! `ODES_CACHE=off` disables the cache. `ODES_CACHE_DIR` replaces the user's cache folder
//! (`$XDG_CACHE_HOME/odes`, `~/.cache/odes`). The folder may be deleted at any time.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use ode_core::persist;

use crate::nvrtc::Cubin;

/// The end of every entry; its last digit is the version of the layout.
const MAGIC: [u8; 8] = *b"ODESCUB1";

/// Two lengths, key, hash and magic.
const TRAILER: usize = 8 + 8 + 32 + 32 + 8;

/// The name of one compilation: equal keys mean equal machine code.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct CacheKey([u8; 32]);

impl CacheKey {
    /// Hashes all data that the compiler's output depends on.
    pub fn new(source: &str, program: &str, options: &[String], compiler: &str) -> CacheKey {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&MAGIC);
        // The length before each field makes the encoding unique.
        let mut field = |text: &str| {
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        };
        field(compiler);
        field(program);
        for option in options {
            field(option);
        }
        field(source);
        CacheKey(*hasher.finalize().as_bytes())
    }

    /// Returns the first eight hexadecimal digits, for the user.
    pub fn short(&self) -> String {
        self.to_string()[..8].to_owned()
    }
}

impl std::fmt::Display for CacheKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl std::fmt::Debug for CacheKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Key({self})")
    }
}

/// A folder of compiled kernels, or none.
#[derive(Debug, Clone)]
pub struct Cache {
    folder: Option<PathBuf>,
}

impl Cache {
    /// Returns the process's cache, configured by the environment.
    pub fn from_env() -> &'static Cache {
        static CACHE: OnceLock<Cache> = OnceLock::new();
        CACHE.get_or_init(|| Cache::from_variables(|name| env::var_os(name)))
    }

    /// The cache that the variables returned by `get` configure.
    fn from_variables(get: impl Fn(&str) -> Option<OsString>) -> Cache {
        let dir = |name: &str| get(name).filter(|v| !v.is_empty()).map(PathBuf::from);
        if get("ODES_CACHE").is_some_and(|v| ["off", "0", "no", "false"].iter().any(|o| v == **o)) {
            return Cache::off();
        }
        let user = || {
            if cfg!(windows) {
                dir("LOCALAPPDATA").map(|d| d.join("odes").join("cache"))
            } else if cfg!(target_os = "macos") {
                dir("HOME").map(|d| d.join("Library/Caches/odes"))
            } else {
                // The XDG specification: relative paths are invalid and to be ignored.
                let xdg = dir("XDG_CACHE_HOME").filter(|d| d.is_absolute());
                xdg.or_else(|| dir("HOME").map(|d| d.join(".cache"))).map(|d| d.join("odes"))
            }
        };
        Cache { folder: dir("ODES_CACHE_DIR").or_else(user) }
    }

    /// Creates a cache in `folder`, which is created when an entry is stored.
    pub fn at(folder: impl Into<PathBuf>) -> Cache {
        Cache { folder: Some(folder.into()) }
    }

    /// Creates a cache without entries, which stores nothing.
    pub fn off() -> Cache {
        Cache { folder: None }
    }

    /// Returns the folder, or `None` if the cache is off.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// Returns the entry of `key`, if it exists and is complete.
    pub fn load(&self, key: &CacheKey) -> Option<Cubin> {
        let entry = fs::read(self.entry(key)?).ok()?;
        decode(key, entry)
    }

    /// Stores an entry, and replaces an earlier one of this key. Returns whether it is now on disk.
    pub fn store(&self, key: &CacheKey, cubin: &Cubin) -> bool {
        let Some(entry) = self.entry(key) else { return false };
        let Some(folder) = entry.parent() else { return false };
        if create_private(folder).is_err() {
            return false;
        }
        persist::replace(&entry, folder, &[&encode(key, cubin)]).is_ok()
    }

    fn entry(&self, key: &CacheKey) -> Option<PathBuf> {
        self.folder.as_ref().map(|f| f.join(format!("{key}.cubin")))
    }
}

/// Other users must not write machine code into our folder.
fn create_private(folder: &Path) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

fn encode(key: &CacheKey, cubin: &Cubin) -> Vec<u8> {
    let mut out = Vec::with_capacity(cubin.code.len() + cubin.log.len() + TRAILER);
    out.extend_from_slice(&cubin.code);
    out.extend_from_slice(cubin.log.as_bytes());
    out.extend_from_slice(&(cubin.code.len() as u64).to_le_bytes());
    out.extend_from_slice(&(cubin.log.len() as u64).to_le_bytes());
    out.extend_from_slice(&key.0);
    let hash = blake3::hash(&out);
    out.extend_from_slice(hash.as_bytes());
    out.extend_from_slice(&MAGIC);
    out
}

fn decode(key: &CacheKey, mut entry: Vec<u8>) -> Option<Cubin> {
    let (rest, magic) = entry.split_last_chunk::<8>()?;
    let (hashed, hash) = rest.split_last_chunk::<32>()?;
    if *magic != MAGIC || blake3::hash(hashed) != *hash {
        return None;
    }
    let (rest, stored_key) = hashed.split_last_chunk::<32>()?;
    let (rest, log_len) = rest.split_last_chunk::<8>()?;
    let (payload, code_len) = rest.split_last_chunk::<8>()?;
    let code_len = usize::try_from(u64::from_le_bytes(*code_len)).ok()?;
    let log_len = usize::try_from(u64::from_le_bytes(*log_len)).ok()?;
    if *stored_key != key.0 || code_len.checked_add(log_len) != Some(payload.len()) {
        return None;
    }
    let log = std::str::from_utf8(&payload[code_len..]).ok()?.to_owned();
    entry.truncate(code_len);
    Some(Cubin { code: entry, log })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::temp_dir;
    use std::collections::HashMap;

    fn cubin(n: u8) -> Cubin {
        Cubin { code: vec![n; 10_000], log: "ptxas info".to_owned() }
    }

    fn key(source: &str) -> CacheKey {
        CacheKey::new(source, "k", &["--fmad=false".to_owned()], "nvrtc 13.0")
    }

    #[test]
    fn what_is_stored_is_loaded() {
        let folder = temp_dir("stored");
        let cache = Cache::at(folder.join("deep/er"));
        assert_eq!(cache.load(&key("a")), None);
        assert!(cache.store(&key("a"), &cubin(1)));
        assert_eq!(cache.load(&key("a")), Some(cubin(1)));
        assert_eq!(cache.load(&key("b")), None);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn every_input_is_in_the_key() {
        let o = |s: &[&str]| s.iter().map(|x| (*x).to_owned()).collect::<Vec<_>>();
        let keys = [
            CacheKey::new("s", "p", &o(&["a", "b"]), "c"),
            CacheKey::new("t", "p", &o(&["a", "b"]), "c"),
            CacheKey::new("s", "q", &o(&["a", "b"]), "c"),
            CacheKey::new("s", "p", &o(&["ab"]), "c"),
            CacheKey::new("s", "p", &o(&["b", "a"]), "c"),
            CacheKey::new("s", "p", &o(&["a", "b"]), "d"),
        ];
        for (i, a) in keys.iter().enumerate() {
            assert!(keys[i + 1..].iter().all(|b| a != b));
        }
    }

    #[test]
    fn a_damaged_entry_reads_as_absent_and_is_replaced() {
        let folder = temp_dir("damaged");
        let cache = Cache::at(&folder);
        let k = key("a");
        cache.store(&k, &cubin(1));
        let path = cache.entry(&k).unwrap();
        let whole = fs::read(&path).unwrap();
        let mut damaged = vec![Vec::new(), b"short".to_vec(), whole[..whole.len() - 1].to_vec()];
        for at in [0, 9_999, 10_005, 10_011, 10_020, 10_040, 10_070, whole.len() - 1] {
            let mut bytes = whole.clone();
            bytes[at] ^= 1;
            damaged.push(bytes);
        }
        for bytes in damaged {
            fs::write(&path, bytes).unwrap();
            assert_eq!(cache.load(&k), None);
            assert!(cache.store(&k, &cubin(2)));
            assert_eq!(cache.load(&k), Some(cubin(2)));
        }
        // An entry under the name of another key is rejected too.
        fs::copy(&path, cache.entry(&key("b")).unwrap()).unwrap();
        assert_eq!(cache.load(&key("b")), None);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn concurrent_writers_and_readers_see_whole_entries() {
        let folder = temp_dir("concurrent");
        let cache = Cache::at(&folder);
        let k = key("a");
        std::thread::scope(|s| {
            for n in 0..8 {
                let cache = &cache;
                s.spawn(move || {
                    for _ in 0..25 {
                        assert!(cache.store(&k, &cubin(n)));
                        let seen = cache.load(&k).expect("a whole entry");
                        assert!(seen.code.iter().all(|b| *b == seen.code[0]));
                    }
                });
            }
        });
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "no temporary file is left");
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn the_environment_moves_it_and_turns_it_off() {
        let with = |pairs: &[(&str, &str)]| {
            let map: HashMap<_, _> = pairs.iter().map(|(k, v)| (*k, OsString::from(v))).collect();
            Cache::from_variables(|name| map.get(name).cloned())
        };
        assert_eq!(with(&[("ODES_CACHE", "off"), ("ODES_CACHE_DIR", "/x")]).folder(), None);
        assert_eq!(with(&[]).folder(), None);
        let moved = with(&[("ODES_CACHE_DIR", "/x"), ("HOME", "/h")]);
        assert_eq!(moved.folder(), Some(Path::new("/x")));
        if cfg!(target_os = "linux") {
            let home = with(&[("HOME", "/h"), ("XDG_CACHE_HOME", "relative")]);
            assert_eq!(home.folder(), Some(Path::new("/h/.cache/odes")));
            let xdg = with(&[("HOME", "/h"), ("XDG_CACHE_HOME", "/c")]);
            assert_eq!(xdg.folder(), Some(Path::new("/c/odes")));
        }
    }

    #[test]
    fn off_or_unwritable_is_no_error() {
        assert!(!Cache::off().store(&key("a"), &cubin(1)));
        assert_eq!(Cache::off().load(&key("a")), None);
        let cache = Cache::at("/proc/no/such/folder");
        assert!(!cache.store(&key("a"), &cubin(1)));
    }
}

//! `ODES_DUMP=folder`: the compiled kernels as files, for inspection.
//!
//! Each kernel writes `name-arch-key.cu`, `.log` and `.cubin` to the folder, to be read, diffed and
//! given to `cuobjdump` or `nvcc`. By default nothing is written. A folder that is not writable is
//! ignored.

use std::path::{Path, PathBuf};

use crate::cache::CacheKey;

/// The files of one kernel.
#[derive(Debug)]
pub(crate) struct Dump {
    stem: Option<PathBuf>,
}

impl Dump {
    /// The files of this kernel, if the environment enables them.
    pub(crate) fn from_env(name: &str, key: &CacheKey, arch: &str) -> Dump {
        match std::env::var_os("ODES_DUMP").filter(|v| !v.is_empty()) {
            Some(folder) => Dump::at(Path::new(&folder), name, key, arch),
            None => Dump { stem: None },
        }
    }

    /// The files of a kernel in a folder of the caller's choice.
    fn at(folder: &Path, name: &str, key: &CacheKey, arch: &str) -> Dump {
        let name: String =
            name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        let stem = folder.join(format!("{name}-{arch}-{}", key.short()));
        Dump { stem: std::fs::create_dir_all(folder).ok().map(|()| stem) }
    }

    /// Writes the file with the given extension.
    pub(crate) fn write(&self, extension: &str, contents: &[u8]) {
        if let Some(stem) = &self.stem {
            let mut path = stem.clone().into_os_string();
            path.push(".");
            path.push(extension);
            let _ = std::fs::write(path, contents);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_after_kernel_and_key() {
        let folder = crate::testing::temp_dir("dump");
        let key = CacheKey::new("s", "p", &[], "c");
        Dump::at(&folder.join("new"), "tsit5::lorenz", &key, "sm_90").write("cu", b"text");
        let path = folder.join(format!("new/tsit5__lorenz-sm_90-{}.cu", key.short()));
        assert_eq!(std::fs::read(path).unwrap(), b"text");
        std::fs::remove_dir_all(folder).unwrap();
    }
}

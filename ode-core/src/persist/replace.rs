//! Atomic replacement and creation of files.

use std::fs::{self, File};
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

/// Parts of fewer bytes are joined before they are written.
const BUFFER: usize = 1 << 16;

/// Replaces the file `path` atomically by a file of these parts.
///
/// A reader finds the old file or the new one, even if this process dies. Several processes may
/// replace the file at the same time. The new file is written in `folder`, which must be in the
/// same file system.
///
/// # Errors
/// The error of the system. The old file is then unchanged.
pub fn replace(path: &Path, folder: &Path, parts: &[&[u8]]) -> io::Result<()> {
    let new = write_new(path, folder, parts)?;
    let renamed = fs::rename(&new, path);
    if renamed.is_err() {
        let _ = fs::remove_file(&new);
    }
    renamed
}

/// Creates the file `path` atomically from these parts, unless the file exists.
///
/// Several processes may create the file at the same time. One of them creates it, and the others
/// leave it unchanged without an error. Read the file to find out its content.
///
/// The new file is written beside `path`, because some file systems have hard links only within a
/// folder. The link has the name `path`. On file systems without hard links, the last process
/// replaces the file of the first.
///
/// # Errors
/// The error of the system. The file is then absent or complete.
pub fn create(path: &Path, parts: &[&[u8]]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let new = write_new(path, folder, parts)?;
    let linked = match fs::hard_link(&new, path) {
        // Network file systems may report an error although the link was made.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists || path.exists() => Ok(()),
        // Errors of file systems without hard links.
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::PermissionDenied | io::ErrorKind::Unsupported
            ) =>
        {
            fs::rename(&new, path)
        }
        linked => linked,
    };
    let _ = fs::remove_file(&new);
    linked
}

/// Returns a path in `folder` that is unique over processes and machines.
pub(super) fn temporary(path: &Path, folder: &Path) -> PathBuf {
    let number = RandomState::new().hash_one(path);
    folder.join(format!(".{number:016x}-{}.tmp", std::process::id()))
}

/// Writes a complete file under a temporary name in `folder`, and returns its path.
fn write_new(path: &Path, folder: &Path, parts: &[&[u8]]) -> io::Result<PathBuf> {
    let new = temporary(path, folder);
    let written = File::create_new(&new).and_then(|file| {
        let mut file = BufWriter::with_capacity(BUFFER, file);
        parts.iter().try_for_each(|part| file.write_all(part))?;
        file.into_inner()?.sync_all()
    });
    if let Err(error) = written {
        let _ = fs::remove_file(&new);
        return Err(error);
    }
    Ok(new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_the_old_one_or_the_new_one() {
        let folder = std::env::temp_dir().join(format!("odes-replace-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("file");
        replace(&path, &folder, &[b"old"]).unwrap();
        // A file instead of a folder, so that the new file cannot be written.
        assert!(replace(&path, &path, &[b"new"]).is_err());
        // A folder instead of a file, so that the new file cannot be renamed.
        assert!(replace(&folder, &folder, &[b"new"]).is_err());
        assert_eq!(fs::read(&path).unwrap(), b"old");
        std::thread::scope(|scope| {
            for number in 0..8u8 {
                let (path, folder) = (&path, &folder);
                scope.spawn(move || {
                    for _ in 0..20 {
                        replace(path, folder, &[&[number; 999], &[number; 999]]).unwrap();
                        let found = fs::read(path).unwrap();
                        assert!(found.len() == 1998 && found.iter().all(|byte| *byte == found[0]));
                    }
                });
            }
        });
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "only the file is left");
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_file_is_created_once() {
        let folder = std::env::temp_dir().join(format!("odes-create-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        for round in 0..20 {
            let path = folder.join(format!("{round}"));
            let barrier = std::sync::Barrier::new(8);
            let found: Vec<Vec<u8>> = std::thread::scope(|scope| {
                let threads: Vec<_> = (0..8u8)
                    .map(|number| {
                        let (path, barrier) = (&path, &barrier);
                        scope.spawn(move || {
                            barrier.wait();
                            create(path, &[&[number; 999], &[number; 999]]).unwrap();
                            fs::read(path).unwrap()
                        })
                    })
                    .collect();
                threads.into_iter().map(|thread| thread.join().unwrap()).collect()
            });
            assert_eq!(found[0].len(), 1998);
            assert!(found.iter().all(|bytes| *bytes == found[0]));
        }
        assert!(create(&folder.join("missing/file"), &[b"new"]).is_err());
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 20, "only the files are left");
        fs::remove_dir_all(folder).unwrap();
    }
}

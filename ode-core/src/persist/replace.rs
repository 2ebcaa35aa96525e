//! Atomic replacement of files.

use std::fs::{self, File};
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, Write as _};
use std::path::Path;

/// Replaces the file `path` atomically by a file of these parts.
///
/// A reader finds the old file or the new one, even if this process dies. Several processes may
/// replace the file at the same time. The new file is written in `folder`, which must be in the
/// same file system.
///
/// # Errors
/// The error of the system. The old file is then unchanged.
pub fn replace(path: &Path, folder: &Path, parts: &[&[u8]]) -> io::Result<()> {
    // A number that is unique over processes and machines.
    let number = RandomState::new().hash_one(path);
    let new = folder.join(format!(".{number:016x}-{}.tmp", std::process::id()));
    let written = File::create_new(&new)
        .and_then(|mut file| {
            parts.iter().try_for_each(|part| file.write_all(part))?;
            file.sync_all()
        })
        .and_then(|()| fs::rename(&new, path));
    if written.is_err() {
        let _ = fs::remove_file(&new);
    }
    written
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
}

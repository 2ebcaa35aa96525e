//! Replacement of a file by a file that a program writes in many parts.

use super::replace::temporary;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// A new file under a temporary name, which replaces the file of its path when it is complete.
///
/// If the value is dropped before, the new file is removed, and the old file is unchanged. Devices
/// and pipes are written in place.
#[derive(Debug)]
#[must_use = "a dropped replacement removes the new file"]
pub(crate) struct Replacement(Option<Names>);

/// The temporary and the final path.
#[derive(Debug)]
struct Names {
    new: PathBuf,
    path: PathBuf,
}

impl Replacement {
    /// Begins a file that replaces the file `path`, in the same folder.
    ///
    /// The new file has the permissions of the old file. A symbolic link stays, and its target is
    /// replaced.
    ///
    /// # Errors
    /// The error of the system, if the old file is not writable or the folder takes no new file.
    pub(crate) fn begin(path: &Path) -> io::Result<(Replacement, File)> {
        let (path, permissions) = match OpenOptions::new().write(true).open(path) {
            Ok(old) => {
                let metadata = old.metadata()?;
                if !metadata.is_file() {
                    return Ok((Replacement(None), old));
                }
                (fs::canonicalize(path)?, Some(metadata.permissions()))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => (path.to_owned(), None),
            Err(error) => return Err(error),
        };
        let new = temporary(&path, path.parent().unwrap_or(Path::new("")));
        let file = File::create_new(&new)?;
        let replacement = Replacement(Some(Names { new, path }));
        if let Some(permissions) = permissions
            && file.metadata()?.permissions() != permissions
        {
            file.set_permissions(permissions)?;
        }
        Ok((replacement, file))
    }

    /// Replaces the old file by the complete file that [`begin`](Self::begin) returned.
    ///
    /// # Errors
    /// The error of the system. The old file is then unchanged.
    pub(crate) fn finish(mut self, file: File) -> io::Result<()> {
        let Some(names) = &self.0 else { return Ok(()) };
        // Some file systems report a full disk only now.
        file.sync_all()?;
        drop(file);
        fs::rename(&names.new, &names.path)?;
        self.0 = None;
        Ok(())
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        if let Some(names) = &self.0 {
            let _ = fs::remove_file(&names.new);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    fn write(path: &Path, text: &str, finished: bool) -> io::Result<()> {
        let (replacement, mut file) = Replacement::begin(path)?;
        file.write_all(text.as_bytes())?;
        if finished { replacement.finish(file) } else { Ok(()) }
    }

    #[test]
    fn only_complete_files_replace() {
        let folder = std::env::temp_dir().join(format!("odes-streamed-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("file");
        let read = || fs::read_to_string(&path).unwrap();
        let files = || fs::read_dir(&folder).unwrap().count();
        write(&path, "dropped", false).unwrap();
        assert_eq!(files(), 0);
        write(&path, "old", true).unwrap();
        write(&path, "dropped", false).unwrap();
        assert_eq!((read().as_str(), files()), ("old", 1));
        write(&path, "new", true).unwrap();
        assert_eq!((read().as_str(), files()), ("new", 1));
        assert!(write(&folder, "a folder", true).is_err());
        assert!(write(&folder.join("missing/file"), "new", true).is_err());
        fs::remove_dir_all(folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn links_and_permissions_stay() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        let folder = std::env::temp_dir().join(format!("odes-links-{}", std::process::id()));
        fs::create_dir_all(folder.join("data")).unwrap();
        let [path, link] = ["data/file", "link"].map(|name| folder.join(name));
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        symlink("data/file", &link).unwrap();
        write(&link, "new", true).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
        fs::remove_dir_all(folder).unwrap();
        write(Path::new("/dev/null"), "in place", true).unwrap();
    }
}

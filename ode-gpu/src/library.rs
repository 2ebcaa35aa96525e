//! Search for the libraries of CUDA installations.
//!
//! Machines have CUDA in at least five forms: a toolkit under `/usr/local/cuda*`, a module system
//! that sets `CUDA_PATH`, a distribution's package in the loader's default folders, a conda
//! environment, and PyPI wheels inside the `site-packages` of a Python. Users of PyTorch or JAX
//! already have a compiler in the last form. This module turns the environment into an ordered list
//! of candidates, and opens libraries. Every failure is a value.

use std::collections::HashSet;
use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use libloading::Library;

use crate::error::GpuError;

/// A library to search for in toolkits, environments and wheels.
#[derive(Debug)]
pub(crate) struct Wanted {
    /// File names for the dynamic loader, without a folder. The unversioned link, which the
    /// toolkit's administrator chose, comes first, and then the newest version.
    pub(crate) names: &'static [&'static str],
    /// The text before the version in its file names.
    file: &'static str,
    /// The folder of the older wheels, in `nvidia`.
    wheel: &'static str,
    /// The environment variable with the path of its file.
    variable: &'static str,
    /// The name of the library in the error message.
    what: &'static str,
    /// The newest wheel that contains it.
    package: &'static str,
}

/// The run-time compiler.
pub(crate) static NVRTC: Wanted = Wanted {
    names: if cfg!(windows) {
        &["nvrtc64_130_0.dll", "nvrtc64_120_0.dll", "nvrtc64_112_0.dll"]
    } else {
        &["libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"]
    },
    file: if cfg!(windows) { "nvrtc64_" } else { "libnvrtc.so" },
    wheel: "cuda_nvrtc",
    variable: "ODES_NVRTC",
    what: "NVRTC, CUDA's run-time compiler,",
    package: "nvidia-cuda-nvrtc",
};

/// The library of matrix products.
#[cfg(feature = "arrays")]
pub(crate) static CUBLAS: Wanted = Wanted {
    names: if cfg!(windows) {
        &["cublas64_13.dll", "cublas64_12.dll"]
    } else {
        &["libcublas.so", "libcublas.so.13", "libcublas.so.12"]
    },
    file: if cfg!(windows) { "cublas64_" } else { "libcublas.so" },
    wheel: "cublas",
    variable: "ODES_CUBLAS",
    what: "cuBLAS, CUDA's library of matrix products,",
    package: "nvidia-cublas",
};

/// A library that may exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Candidate {
    /// A full path, or a bare name for the dynamic loader to resolve.
    pub(crate) path: PathBuf,
}

/// The environment of the search. It is read once and is a value, so that tests can construct one.
#[derive(Debug, Clone, Default)]
pub(crate) struct Places {
    /// The variable of the library: if set, no other place is searched.
    pub(crate) chosen: Option<PathBuf>,
    /// `CUDA_PATH`, `CUDA_HOME`.
    pub(crate) toolkits: Vec<PathBuf>,
    /// The folder that contains `cuda`, `cuda-13.0` and so on.
    pub(crate) toolkit_parent: Option<PathBuf>,
    /// `CONDA_PREFIX`.
    pub(crate) conda: Option<PathBuf>,
    /// `VIRTUAL_ENV`.
    pub(crate) virtual_env: Option<PathBuf>,
    /// `HOME`.
    pub(crate) home: Option<PathBuf>,
    /// `PATH`, which is searched for `python3`.
    pub(crate) path: Option<OsString>,
    /// Whether `python3` may be run to get its folders, if all else fails.
    pub(crate) ask_python: bool,
}

impl Places {
    /// Reads the environment of this process.
    pub(crate) fn from_env(wanted: &Wanted) -> Self {
        let dir = |name| env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
        Places {
            chosen: dir(wanted.variable),
            toolkits: ["CUDA_PATH", "CUDA_HOME"].into_iter().filter_map(dir).collect(),
            toolkit_parent: Some(PathBuf::from("/usr/local")),
            conda: dir("CONDA_PREFIX"),
            virtual_env: dir("VIRTUAL_ENV"),
            home: dir("HOME"),
            path: env::var_os("PATH"),
            ask_python: true,
        }
    }

    /// Returns the first candidate that `open` opens and `fits` accepts; both return a reason
    /// otherwise.
    ///
    /// # Errors
    /// [`GpuError::Unavailable`] with the searched folders and the reasons.
    pub(crate) fn find<L>(
        &self,
        wanted: &'static Wanted,
        open: impl Fn(&Path) -> Result<L, String>,
        mut fits: impl FnMut(L) -> Result<L, String>,
    ) -> Result<L, GpuError> {
        let mut failures: Vec<String> = Vec::new();
        for Candidate { path } in self.candidates(wanted) {
            match open(&path) {
                Ok(library) => match fits(library) {
                    Ok(library) => return Ok(library),
                    Err(message) => failures.push(format!("{} {message}", path.display())),
                },
                // It is normal that the loader does not find a bare name.
                Err(message) if path.is_absolute() || self.chosen.is_some() => {
                    failures.push(message);
                }
                Err(_) => {}
            }
        }
        Err(GpuError::Unavailable {
            missing: wanted.what,
            looked_for: wanted.names.join(", "),
            searched: self.in_words(wanted),
            reason: if failures.is_empty() {
                "nothing was found".to_owned()
            } else {
                format!("no library that was found is usable: {}", failures.join("; "))
            },
            advice: format!(
                "install the CUDA toolkit, or the PyPI wheel (pip install {}), or set {} to the library's path",
                wanted.package, wanted.variable
            ),
        })
    }

    /// Returns the candidates for a library, best first: the first that loads is used.
    ///
    /// The result is an iterator, because the last source costs most (it starts Python) and is
    /// rarely reached.
    pub(crate) fn candidates<'a>(
        &'a self,
        wanted: &'static Wanted,
    ) -> Box<dyn Iterator<Item = Candidate> + 'a> {
        if let Some(path) = &self.chosen {
            return Box::new(std::iter::once(Candidate { path: path.clone() }));
        }
        let mut seen = HashSet::new();
        let libraries = |folder| libraries(folder, wanted.file);
        let wheel_folders = |site: &Path| wheel_folders(site, wanted.wheel);
        let toolkits = self.toolkits.iter().flat_map(|t| toolkit_folders(t)).flat_map(libraries);
        let default = wanted.names.iter().map(PathBuf::from);
        let parent = self.toolkit_parent.iter().flat_map(|p| versioned_toolkits(p));
        let parent = parent.flat_map(|t| toolkit_folders(&t)).flat_map(libraries);
        let conda = self.conda.iter().flat_map(|c| {
            [c.join("lib"), c.join("targets/x86_64-linux/lib"), c.join("targets/sbsa-linux/lib")]
        });
        let conda = conda.flat_map(libraries);
        let wheels = move || self.site_packages().into_iter().flat_map(move |s| wheel_folders(&s));
        let wheels = std::iter::once(wheels).flat_map(|w| w()).flat_map(libraries);
        let asked = std::iter::once(()).filter(|()| self.ask_python).flat_map(move |()| {
            ask_python().into_iter().flat_map(move |s| wheel_folders(&s)).flat_map(libraries)
        });
        Box::new(
            toolkits
                .chain(default)
                .chain(parent)
                .chain(conda)
                .chain(wheels)
                .chain(asked)
                .filter(move |path| seen.insert(path.clone()))
                .map(|path| Candidate { path }),
        )
    }

    /// Describes the searched places, for the error if no library was found.
    pub(crate) fn in_words(&self, wanted: &Wanted) -> Vec<String> {
        if let Some(path) = &self.chosen {
            return vec![format!("{} ({})", wanted.variable, path.display())];
        }
        let mut words: Vec<String> = Vec::new();
        for toolkit in &self.toolkits {
            words.push(format!("{} (CUDA_PATH, CUDA_HOME)", toolkit.join("lib64").display()));
        }
        words.push("the loader's default folders and LD_LIBRARY_PATH".to_owned());
        if let Some(parent) = &self.toolkit_parent {
            words.push(parent.join("cuda*/lib64").display().to_string());
        }
        if let Some(conda) = &self.conda {
            words.push(format!("{} (CONDA_PREFIX)", conda.join("lib").display()));
        }
        words.push(format!(
            "the wheel folders nvidia/cu13/lib and nvidia/{}/lib of VIRTUAL_ENV, CONDA_PREFIX, python3 \
             on PATH and ~/.local",
            wanted.wheel
        ));
        if self.ask_python {
            words.push("the package folders that python3 reports".to_owned());
        }
        words
    }

    /// The folders that may contain Python packages.
    fn site_packages(&self) -> Vec<PathBuf> {
        let mut prefixes = Vec::new();
        prefixes.extend(self.virtual_env.clone());
        prefixes.extend(self.conda.clone());
        if let Some(path) = &self.path {
            prefixes.extend(python_prefixes(path));
        }
        prefixes.extend(self.home.as_ref().map(|h| h.join(".local")));
        prefixes.extend([PathBuf::from("/usr"), PathBuf::from("/usr/local")]);
        let mut out: Vec<PathBuf> = Vec::new();
        for prefix in prefixes {
            // `Lib` is Windows's spelling.
            for lib in [prefix.join("lib"), prefix.join("lib64"), prefix.join("Lib")] {
                for folder in ["site-packages", "dist-packages"] {
                    out.push(lib.join(folder));
                }
                for python in subfolders(&lib, "python3") {
                    out.push(python.join("site-packages"));
                    out.push(python.join("dist-packages"));
                }
            }
        }
        let mut seen = HashSet::new();
        out.retain(|p| p.is_dir() && seen.insert(p.clone()));
        out
    }
}

/// Opens a library. The error is the loader's own message.
pub(crate) fn open(path: impl AsRef<OsStr>) -> Result<Library, String> {
    // SAFETY: loading a library runs its initialisers. The paths are those of NVIDIA's driver and
    // toolkit, or the path that the user set in a variable of this crate. Their initialisers have
    // no preconditions.
    unsafe { Library::new(path.as_ref()) }.map_err(|e| {
        let source = std::error::Error::source(&e).map(ToString::to_string);
        source.unwrap_or_else(|| e.to_string())
    })
}

/// The folders of a toolkit that hold its libraries.
fn toolkit_folders(toolkit: &Path) -> Vec<PathBuf> {
    ["lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib", "bin", "bin/x64"]
        .iter()
        .map(|f| toolkit.join(f))
        .collect()
}

/// `cuda`, then `cuda-13.0`, `cuda-12.8` and so on, newest first.
fn versioned_toolkits(parent: &Path) -> Vec<PathBuf> {
    let mut found = subfolders(parent, "cuda");
    found.sort_by_key(|p| {
        let name = p.file_name().unwrap_or_default().to_string_lossy().into_owned();
        std::cmp::Reverse((name == "cuda", version_of(name.trim_start_matches("cuda-"))))
    });
    found
}

/// The folders of libraries in wheels: the CUDA 13 layout, then the older one.
fn wheel_folders(site: &Path, older: &str) -> Vec<PathBuf> {
    let nvidia = site.join("nvidia");
    let toolkits = subfolders(&nvidia, "cu").into_iter().rev().filter(|p| {
        let name = p.file_name().unwrap_or_default().to_string_lossy().into_owned();
        name[2..].parse::<u32>().is_ok()
    });
    let mut out: Vec<PathBuf> = toolkits.collect();
    out.push(nvidia.join(older));
    out.into_iter().flat_map(|p| [p.join("lib"), p.join("bin"), p.join("bin/x86_64")]).collect()
}

/// The libraries of this name in a folder, newest first.
fn libraries(folder: PathBuf, file: &str) -> Vec<PathBuf> {
    let Ok(entries) = folder.read_dir() else { return Vec::new() };
    let mut found: Vec<(Vec<u32>, PathBuf)> = entries
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let version = if cfg!(windows) {
                let rest = name.strip_prefix(file)?.strip_suffix(".dll")?;
                if rest.contains("alt") || rest.contains("builtins") {
                    return None;
                }
                version_of(rest)
            } else {
                version_of(name.strip_prefix(file)?.trim_start_matches('.'))
            };
            Some((version, entry.path()))
        })
        .collect();
    found.sort_by(|a, b| b.cmp(a));
    found.into_iter().map(|(_, path)| path).collect()
}

/// The numbers in a version such as `13.0.88`.
fn version_of(text: &str) -> Vec<u32> {
    text.split(['.', '_', '-']).map_while(|part| part.parse().ok()).collect()
}

/// Folders (or links to folders) directly in `parent` whose name starts with `prefix`, sorted.
fn subfolders(parent: &Path, prefix: &str) -> Vec<PathBuf> {
    let Ok(entries) = parent.read_dir() else { return Vec::new() };
    let mut found: Vec<PathBuf> = entries
        .flatten()
        .filter(|e| e.file_name().to_string_lossy().starts_with(prefix))
        .map(|e| e.path())
        .filter(|p| p.is_dir())
        .collect();
    found.sort();
    found
}

/// The installation prefixes of the `python3` on `PATH`, for the link itself and every link that it
/// leads through. The `python3` of a virtual environment is a link to the system's, and the
/// system's may be a link into an environment.
fn python_prefixes(path: &OsStr) -> Vec<PathBuf> {
    let mut out = Vec::new();
    for name in ["python3", "python"] {
        let found = env::split_paths(path).map(|dir| dir.join(name)).find(|p| p.is_file());
        let mut next = found;
        for _ in 0..8 {
            let Some(python) = next else { break };
            if let Some(prefix) = python.parent().and_then(Path::parent) {
                out.push(prefix.to_path_buf());
            }
            next = python.read_link().ok().map(|target| match python.parent() {
                Some(folder) => folder.join(target),
                None => target,
            });
        }
    }
    out
}

/// Runs the `python3` on `PATH` to get its package folders, for launchers that are scripts. This is
/// the last resort, since it runs a program; with `ODES_NVRTC` it is never reached.
fn ask_python() -> Vec<PathBuf> {
    let output = std::process::Command::new("python3")
        .args(["-c", "import sys; print('\\n'.join(sys.path))"])
        .stdin(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .output();
    match output {
        Ok(output) if output.status.success() => String::from_utf8_lossy(&output.stdout)
            .lines()
            .filter(|l| l.ends_with("-packages"))
            .map(PathBuf::from)
            .collect(),
        _ => Vec::new(),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::fs;

    fn touch(path: &Path) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
    }

    fn full_paths(places: &Places) -> Vec<PathBuf> {
        places.candidates(&NVRTC).map(|c| c.path).filter(|p| p.is_absolute()).collect()
    }

    #[test]
    fn the_chosen_library_is_the_only_candidate() {
        let places = Places {
            chosen: Some("/x/libnvrtc.so".into()),
            toolkits: vec!["/y".into()],
            // Python would run only after all other candidates.
            ask_python: true,
            ..Places::default()
        };
        let found: Vec<_> = places.candidates(&NVRTC).map(|c| c.path).collect();
        assert_eq!(found, [PathBuf::from("/x/libnvrtc.so")]);
    }

    #[test]
    fn order_is_toolkit_default_conda_wheels() {
        let root = crate::testing::temp_dir("order");
        let place = |p: &str| root.join(p);
        for file in [
            "toolkit/lib64/libnvrtc.so.12",
            "toolkit/lib64/libnvrtc.so.13",
            "toolkit/lib64/libnvrtc-builtins.so.13.0",
            "toolkit/lib64/libnvrtc.alt.so.13",
            "local/cuda-12.8/lib64/libnvrtc.so.12",
            "local/cuda-13.0/lib64/libnvrtc.so.13",
            "conda/lib/libnvrtc.so.12",
            "venv/lib/python3.12/site-packages/nvidia/cu13/lib/libnvrtc.so.13",
            "venv/lib/python3.12/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12",
        ] {
            touch(&place(file));
        }
        let places = Places {
            toolkits: vec![place("toolkit")],
            toolkit_parent: Some(place("local")),
            conda: Some(place("conda")),
            virtual_env: Some(place("venv")),
            ..Places::default()
        };
        let expected = [
            "toolkit/lib64/libnvrtc.so.13",
            "toolkit/lib64/libnvrtc.so.12",
            "local/cuda-13.0/lib64/libnvrtc.so.13",
            "local/cuda-12.8/lib64/libnvrtc.so.12",
            "conda/lib/libnvrtc.so.12",
            "venv/lib/python3.12/site-packages/nvidia/cu13/lib/libnvrtc.so.13",
            "venv/lib/python3.12/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12",
        ]
        .map(place);
        let mut found = full_paths(&places);
        found.retain(|p| p.starts_with(&root));
        assert_eq!(found, expected);
        let all: Vec<_> = places.candidates(&NVRTC).map(|c| c.path).collect();
        assert_eq!(all[2], PathBuf::from("libnvrtc.so"), "the loader comes after CUDA_PATH");
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn a_python_behind_links_leads_to_its_wheels() {
        let root = crate::testing::temp_dir("links");
        let wheel = "env/lib/python3.12/site-packages/nvidia/cu13/lib/libnvrtc.so.13";
        touch(&root.join(wheel));
        touch(&root.join("env/bin/python3.12"));
        std::os::unix::fs::symlink("python3.12", root.join("env/bin/python3")).unwrap();
        fs::create_dir_all(root.join("bin")).unwrap();
        std::os::unix::fs::symlink(root.join("env/bin/python3"), root.join("bin/python3")).unwrap();
        let path = Some(root.join("bin").into_os_string());
        let found = full_paths(&Places { path, ..Places::default() });
        assert!(found.contains(&root.join(wheel)), "{found:?}");
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn a_missing_library_is_an_error_with_the_loaders_words() {
        let message = open("/nowhere/libnvrtc.so.13").map(|_| ()).unwrap_err();
        assert!(message.contains("/nowhere/libnvrtc.so.13"), "{message}");
    }
}

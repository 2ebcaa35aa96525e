//! The compiler, without a GPU: every architecture that is promised, and what a failure says.
//!
//! These tests are ignored without `ODES_REQUIRE_NVRTC=1`; `scripts/install-nvrtc.sh` installs NVRTC.

use ode_gpu::{Cache, GpuError, KernelSource, Nvrtc, Origin};
use odes_skipped::{Needed, needs};

/// The compiler, or `None` with a message.
fn nvrtc() -> Option<&'static Nvrtc> {
    Nvrtc::get().map_err(|error| Needed::Nvrtc.is_missing(error)).ok()
}

fn folder(name: &str) -> std::path::PathBuf {
    let folder = std::env::temp_dir().join(format!("odes-test-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

const SAXPY: &str = r#"
extern "C" __global__ void saxpy(float a, const float *x, float *y, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
"#;

#[needs(nvrtc)]
#[test]
fn compiles_for_every_promised_architecture_without_spills() {
    let Some(nvrtc) = nvrtc() else { return };
    for arch in [75u32, 80, 90, 120] {
        if !nvrtc.supported_archs().contains(&arch) {
            Needed::Nvrtc.is_missing(format!("that of {:?} has no sm_{arch}", nvrtc.version()));
            continue;
        }
        let arch = format!("sm_{arch}");
        let compiled = KernelSource::new("saxpy", SAXPY).compile(&arch, &Cache::off()).unwrap();
        assert_eq!(&compiled.cubin.code[..4], b"\x7fELF");
        assert_eq!(compiled.origin, Origin::Compiler);
        let resources = compiled.resources.expect("ptxas reports the kernel's resources");
        assert!((1..64).contains(&resources.registers), "{resources:?}");
        assert_eq!(resources.spill_store_bytes + resources.spill_load_bytes, 0);
    }
}

#[needs(nvrtc)]
#[test]
fn an_error_shows_the_log_and_the_generated_line() {
    if nvrtc().is_none() {
        return;
    }
    let source = "#line 40 \"src/lorenz.rs\"\n__device__ int f() { return missing; }\n\
                  extern \"C\" __global__ void k(int *a) { a[0] = f(); }\n";
    let error = KernelSource::new("k", source).compile("sm_90", &Cache::off()).unwrap_err();
    let text = error.to_string();
    assert!(matches!(error, GpuError::Compile { .. }));
    assert!(text.contains("src/lorenz.rs(40): error: identifier \"missing\""), "{text}");
    assert!(text.contains(">     2 | __device__ int f() { return missing; }"), "{text}");
}

#[needs(nvrtc)]
#[test]
fn an_unknown_option_is_an_error_in_nvrtcs_words() {
    if nvrtc().is_none() {
        return;
    }
    let mut program = KernelSource::new("saxpy", SAXPY);
    program.options.push("--no-such-option".to_owned());
    let text = program.compile("sm_90", &Cache::off()).unwrap_err().to_string();
    assert!(text.contains("nvrtcCompileProgram") && text.contains("no-such-option"), "{text}");
}

#[needs(nvrtc)]
#[test]
fn multiply_add_is_not_contracted_by_default() {
    let Some(_) = nvrtc() else { return };
    let code = |options: &[&str]| {
        let mut program = KernelSource::new("saxpy", SAXPY);
        program.options = options.iter().map(|o| (*o).to_owned()).collect();
        program.compile("sm_90", &Cache::off()).unwrap().cubin.code
    };
    // The later option wins, so this is the same program with contraction.
    assert_ne!(code(&[]), code(&["--fmad=true"]));
    assert_eq!(code(&[]), code(&["--fmad=false"]));
}

#[needs(nvrtc)]
#[test]
fn the_second_compilation_comes_from_disk_and_a_corrupt_entry_is_replaced() {
    if nvrtc().is_none() {
        return;
    }
    let folder = folder("cache");
    let cache = Cache::at(&folder);
    let program = KernelSource::new("saxpy", SAXPY);
    let first = program.compile("sm_90", &cache).unwrap();
    let second = program.compile("sm_90", &cache).unwrap();
    assert_eq!((first.origin, second.origin), (Origin::Compiler, Origin::Disk));
    assert_eq!(first.cubin, second.cubin);
    assert_eq!(first.resources, second.resources);
    assert_eq!(program.compile("sm_80", &cache).unwrap().origin, Origin::Compiler);

    for entry in std::fs::read_dir(&folder).unwrap() {
        std::fs::write(entry.unwrap().path(), b"not a cubin").unwrap();
    }
    assert_eq!(program.compile("sm_90", &cache).unwrap().origin, Origin::Compiler);
    assert_eq!(program.compile("sm_90", &cache).unwrap().origin, Origin::Disk);
    std::fs::remove_dir_all(folder).unwrap();
}

#[needs(nvrtc)]
#[test]
fn many_threads_compile_at_once() {
    if nvrtc().is_none() {
        return;
    }
    let folder = folder("threads");
    let cache = Cache::at(&folder);
    std::thread::scope(|s| {
        for i in 0..6 {
            let cache = &cache;
            s.spawn(move || {
                let name = format!("k{}", i % 3);
                let source = SAXPY.replace("saxpy", &name);
                let compiled = KernelSource::new(name, source).compile("sm_90", cache).unwrap();
                assert_eq!(&compiled.cubin.code[..4], b"\x7fELF");
            });
        }
    });
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 3);
    std::fs::remove_dir_all(folder).unwrap();
}

#[needs(nvrtc)]
#[test]
fn the_architecture_is_the_devices_own_or_one_it_also_runs() {
    let Some(nvrtc) = nvrtc() else { return };
    if !nvrtc.supported_archs().contains(&90) {
        return;
    }
    assert_eq!(nvrtc.arch_for((9, 0)).unwrap(), "sm_90");
    assert_eq!(nvrtc.arch_for((9, 9)).unwrap(), "sm_90");
    let old = nvrtc.arch_for((3, 5)).unwrap_err().to_string();
    assert!(old.contains("sm_35") && old.contains("NVRTC 12"), "{old}");
    let new = nvrtc.arch_for((99, 0)).unwrap_err().to_string();
    assert!(new.contains("newer CUDA toolkit"), "{new}");
}

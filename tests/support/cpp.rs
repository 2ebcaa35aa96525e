//! The device text as an ensemble algorithm of its own: compiled by the host's C++ compiler, run in
//! one thread.

use ode_core::RawResults;
use odes::device::{self, JobArguments, KERNEL_NAME, Packed, Variant};
use odes::guard;
use odes::inputs::Inputs;
use odes::lane::Scalar;
use odes::system::System;
use odes::{Backend, EnsembleAlgorithm, Method, SolveError};
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A C++ compiler of this machine.
#[derive(Clone, Debug)]
pub(crate) struct HostCpp {
    compiler: PathBuf,
}

impl HostCpp {
    /// `$CXX`, or the first of the usual names. With `ODES_REQUIRE_CPP` set, one must be there.
    pub(crate) fn find() -> Option<HostCpp> {
        let names = std::env::var("CXX").ok().into_iter();
        let names = names.chain(["c++", "g++", "clang++"].map(String::from));
        let works = |name: &String| {
            Command::new(name).arg("--version").output().is_ok_and(|o| o.status.success())
        };
        let found = names.into_iter().find(works).map(|name| HostCpp { compiler: name.into() });
        assert!(
            found.is_some() || std::env::var_os("ODES_REQUIRE_CPP").is_none(),
            "ODES_REQUIRE_CPP is set and there is no C++ compiler"
        );
        found
    }

    /// Compiles `source` to a shared library.
    pub(crate) fn compile(&self, source: &str) -> libloading::Library {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let unique =
            format!("odes-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let folder = std::env::temp_dir().join(unique);
        std::fs::create_dir_all(&folder).unwrap();
        let (text, library) = (folder.join("solve.cpp"), folder.join("solve.so"));
        std::fs::write(&text, source).unwrap();
        let mut command = Command::new(&self.compiler);
        // Where GCC makes vectors, it fuses products with sums whatever it is told about contraction.
        command.args(["-std=c++17", "-O2", "-ffp-contract=off", "-fno-tree-slp-vectorize"]);
        command.args(["-shared", "-fPIC"]);
        if cfg!(target_arch = "x86_64") {
            command.args(["-mavx2", "-mfma"]);
        }
        let output = command.arg(&text).arg("-o").arg(&library).output().unwrap();
        assert!(
            output.status.success(),
            "{}\n{}",
            text.display(),
            String::from_utf8_lossy(&output.stderr)
        );
        // SAFETY: the library is the one just compiled, and runs nothing when it is loaded.
        let loaded = unsafe { libloading::Library::new(&library) }.unwrap();
        let _ = std::fs::remove_dir_all(&folder);
        loaded
    }
}

impl EnsembleAlgorithm for HostCpp {
    fn integrate<T, S, M, const N: usize, const P: usize, const K: usize>(
        &self,
        inputs: &Inputs<T>,
    ) -> Result<RawResults<T>, SolveError>
    where
        T: Scalar,
        S: System<N, P>,
        M: Method<K>,
    {
        let n = inputs.trajectories;
        let variant = Variant::new(inputs, true);
        let source = device::source::<T, S, M, N, P, K>(&variant);
        let library = self.compile(&source);
        // SAFETY: the function has this type; its argument is checked by a static_assert.
        let solve: libloading::Symbol<'_, unsafe extern "C" fn(*const JobArguments<T>, *const T)> =
            unsafe { library.get(KERNEL_NAME.as_bytes()) }.unwrap();

        let packed = Packed::new(inputs, 0..n);
        let (times, save_stride, save_each) = device::packed_times(&inputs.save, n, 0..n);
        let (stops, stop_stride, stop_each) = device::packed_times(&inputs.stops, n, 0..n);
        let mut raw = RawResults {
            finals: vec![T::default(); N * n],
            saved: vec![T::default(); inputs.saved_numbers() * n],
            ends: vec![T::default(); n],
            codes: vec![0; n],
            steps: vec![0; n],
            rejected: vec![0; n],
            kept: vec![0; if inputs.slots() > 0 { n } else { 0 }],
            guarded: vec![0; if inputs.guard == guard::OFF { 0 } else { n }],
            backend: Backend::Cpu { instructions: "c++".to_string(), threads: 1 },
            timings: Default::default(),
        };
        let mut counter = 0u32;
        let job = JobArguments {
            inputs: packed.numbers.as_ptr() as u64,
            columns: packed.columns.as_ptr() as u64,
            save_times: times.as_ptr() as u64,
            stop_times: stops.as_ptr() as u64,
            finals: raw.finals.as_mut_ptr() as u64,
            saved: raw.saved.as_mut_ptr() as u64,
            ends: raw.ends.as_mut_ptr() as u64,
            codes: raw.codes.as_mut_ptr() as u64,
            steps: raw.steps.as_mut_ptr() as u64,
            rejected: raw.rejected.as_mut_ptr() as u64,
            kept: raw.kept.as_mut_ptr() as u64,
            guarded: raw.guarded.as_mut_ptr() as u64,
            counter: &raw mut counter as u64,
            abstol: inputs.abstol,
            reltol: inputs.reltol,
            dt: inputs.dt,
            dtmin: inputs.dtmin,
            dtmax: inputs.dtmax,
            law: inputs.law,
            stiff_law: inputs.stiff_law,
            n: n as u32,
            max_steps: inputs.max_steps,
            save_slots: inputs.slots() as u32,
            known_slots: inputs.save.slots() as u32,
            save_stride,
            save_each,
            stop_slots: inputs.stops.slots() as u32,
            stop_stride,
            stop_each,
        };
        let shared = variant.shared_numbers(inputs);
        // SAFETY: every pointer is to as many elements as `Job` and `Shared` say, and outlives the
        // call.
        unsafe { solve(&job, shared.as_ptr()) };
        Ok(raw)
    }
}

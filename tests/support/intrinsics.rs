//! A check that all functions that lanes call are compiled for their instruction set.
//!
//! An intrinsic is an instruction where it is inlined, and it is not inlined into what is compiled
//! for every machine: there each of them is a call, which costs ten times the instruction. Then it
//! is a function of this process, with a name.

/// The names of the intrinsics that are functions of this process.
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
fn called() -> Vec<String> {
    use object::{Object, ObjectSymbol};

    let path = std::env::current_exe().expect("the process has a file");
    let bytes = std::fs::read(path).expect("the file can be read");
    let file = object::File::parse(&*bytes).expect("it is an object file");
    let names = file.symbols().filter_map(|symbol| symbol.name().ok().map(str::to_owned));
    let names: Vec<String> = names.collect();
    assert!(names.iter().any(|name| name.contains("no_intrinsic_is_called")), "no symbols");
    // Those by which the standard library identifies the processor.
    let asks = |name: &String| name.contains("xgetbv") || name.contains("cpuid");
    names.into_iter().filter(|name| name.contains("core_arch") && !asks(name)).collect()
}

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
#[test]
fn no_intrinsic_is_called() {
    let called = called();
    assert!(called.is_empty(), "{} intrinsics are calls, {:?} …", called.len(), called.first());
}

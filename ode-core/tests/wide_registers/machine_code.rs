//! The machine code of this process, read from its file.

use iced_x86::{Decoder, DecoderOptions, FlowControl, Instruction, OpKind, Register};
use object::{Object, ObjectSection, ObjectSymbol};

/// The file that this process runs.
pub(crate) struct Binary {
    bytes: Vec<u8>,
    /// Where the file is loaded: an address in memory less that in the file.
    offset: u64,
}

/// A function whose symbol is known by its name and whose address is known by itself: the
/// difference is where the file was loaded.
#[inline(never)]
fn landmark_in_this_file() -> u32 {
    line!()
}

impl Binary {
    pub(crate) fn of_this_process() -> Binary {
        let path = std::env::current_exe().expect("the process has a file");
        let bytes = std::fs::read(path).expect("the file can be read");
        let file = object::File::parse(&*bytes).expect("it is an object file");
        let named = |s: &object::Symbol<'_, '_>| {
            s.name().is_ok_and(|name| name.contains("landmark_in_this_file"))
        };
        let landmark = file.symbols().find(named).expect("the file has its symbols").address();
        let here = landmark_in_this_file as fn() -> u32 as usize as u64;
        Binary { offset: here.wrapping_sub(landmark), bytes }
    }

    /// The instructions of the function at this address in memory, in order.
    pub(crate) fn function(&self, address: usize) -> Vec<Instruction> {
        let address = (address as u64).wrapping_sub(self.offset);
        let file = object::File::parse(&*self.bytes).expect("it was parsed before");
        let begins_here = |s: &object::Symbol<'_, '_>| s.address() == address && s.size() > 0;
        let symbol = file.symbols().find(begins_here).expect("the function has a symbol");
        let section = symbol.section_index().expect("it is defined");
        let section = file.section_by_index(section).expect("a symbol's section exists");
        let code = section.data_range(address, symbol.size()).expect("sections can be read");
        let code = code.expect("a function lies within its section");
        Decoder::with_ip(64, code, address, DecoderOptions::NONE).into_iter().collect()
    }
}

/// The innermost loop with at least `least` instructions that count: the smallest one. A loop is
/// what lies between a jump and its target before it. Of the ways back to the beginning of a step
/// that is the shortest, where all lanes accept theirs.
pub(crate) fn hot_loop(
    code: &[Instruction],
    counts: impl Fn(&Instruction) -> bool,
    least: usize,
) -> Option<&[Instruction]> {
    let loops = code.iter().enumerate().filter_map(|(end, jump)| {
        let jumps = matches!(
            jump.flow_control(),
            FlowControl::ConditionalBranch | FlowControl::UnconditionalBranch
        );
        let target = jump.near_branch_target();
        let begin = code.binary_search_by_key(&target, Instruction::ip).ok()?;
        (jumps && begin <= end).then(|| &code[begin..=end])
    });
    loops
        .filter(|body| body.iter().filter(|i| counts(i)).count() >= least)
        .min_by_key(|body| body.len())
}

/// What an instruction is, as far as lanes are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Floating-point arithmetic of whole registers.
    Arithmetic,
    /// Floating-point work on one lane: arithmetic, loads, conversions.
    Scalar,
    /// Moves values from lane to lane, or between lanes and other registers.
    Move,
    Call,
    /// Anything else in vector registers.
    Vector,
    /// No vector registers, or only to set one to zero, which clears all of it at any width.
    Other,
}

/// Beginnings of the names of instructions that move values between lanes, without the `v`.
const MOVES: [&str; 24] = [
    "perm", "shuf", "pshuf", "unpck", "punpck", "insert", "extract", "pinsr", "pextr", "align",
    "palign", "pack", "pmov", "movh", "movl", "movddup", "movshdup", "movsldup", "gather",
    "pgather", "scatter", "pscatter", "compress", "expand",
];

pub(crate) fn kind(i: &Instruction) -> Kind {
    if matches!(i.flow_control(), FlowControl::Call | FlowControl::IndirectCall) {
        return Kind::Call;
    }
    let name = format!("{:?}", i.mnemonic()).to_lowercase();
    let name = name.strip_prefix('v').unwrap_or(&name);
    let from_register = i.op_count() > 1 && i.op_kind(1) == OpKind::Register;
    let same = i.op_count() == 3 && i.op_register(1) == i.op_register(2);
    // Integers have names with a p: `pabsd` is packed.
    let floating = !name.starts_with('p') && !name.contains("broadcast");
    let begins = |list: &[&str]| list.iter().any(|prefix| name.starts_with(prefix));
    if register_bytes(i) == 0 || begins(&["xor", "pxor"]) && from_register && same {
        Kind::Other
    } else if floating && ["ss", "sd"].iter().any(|s| name.ends_with(s))
        || name.contains("ss2")
        || name.contains("sd2")
    {
        Kind::Scalar
    } else if begins(&["fm", "fnm", "add", "sub", "mul", "div", "sqrt", "min", "max"]) {
        Kind::Arithmetic
    } else if begins(&MOVES)
        || ["movd", "movq"].contains(&name)
        || name.contains("broadcast") && from_register
    {
        Kind::Move
    } else {
        Kind::Vector
    }
}

/// The size of the largest vector register that an instruction names.
pub(crate) fn register_bytes(i: &Instruction) -> usize {
    let registers = (0..i.op_count()).filter(|&k| i.op_kind(k) == OpKind::Register);
    let vectors = registers.map(|k| i.op_register(k)).filter(|r| r.is_vector_register());
    vectors.map(Register::size).max().unwrap_or(0)
}

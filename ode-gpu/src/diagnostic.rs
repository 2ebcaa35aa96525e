//! Compiler messages with the generated lines they refer to.
//!
//! Generated source contains `#line` directives with positions in the original Rust, so a message
//! like `tsit5.rs(41): error` names the Rust line. The C++ is needed too to debug the generator.
//! [`explain`] follows the directives and appends each reported line of the generated text, with
//! its line number, to the log. [`resources`] reads the report of `ptxas` on registers and spills
//! from the same log.

use std::fmt::Write as _;

/// The largest number of reported lines that are shown; the rest is counted.
const SHOWN: usize = 12;

/// Returns the log, followed by the generated lines that its errors refer to.
pub(crate) fn explain(log: &str, program: &str, source: &str) -> String {
    let mut out = log.trim_end().to_owned();
    let positions = positions(program, source);
    let lines: Vec<&str> = source.lines().collect();
    let mut reported: Vec<usize> = Vec::new();
    for (file, line) in log.lines().filter_map(error_position) {
        let generated = positions.iter().enumerate().filter(|(_, p)| p.0 == file && p.1 == line);
        reported.extend(generated.map(|(i, _)| i));
    }
    reported.sort_unstable();
    reported.dedup();
    if reported.is_empty() {
        return out;
    }
    let _ = write!(out, "\n\ngenerated source:");
    let shown = &reported[..reported.len().min(SHOWN)];
    let mut gap = false;
    for (i, line) in lines.iter().enumerate() {
        // One line of context on either side.
        if shown.iter().any(|&r| r.abs_diff(i) <= 1) {
            let mark = if reported.contains(&i) { '>' } else { ' ' };
            let dots = if gap { "\n       ..." } else { "" };
            let _ = write!(out, "{dots}\n{mark}{:>6} | {line}", i + 1);
            gap = false;
        } else {
            gap = i > shown[0];
        }
    }
    if reported.len() > SHOWN {
        let _ = write!(out, "\n       ... and {} more", reported.len() - SHOWN);
    }
    out
}

/// File and line of a message of the form `file(line): error…`.
fn error_position(message: &str) -> Option<(&str, usize)> {
    let (place, _) =
        message.split_once("): error").or_else(|| message.split_once("): catastrophic error"))?;
    let (file, line) = place.rsplit_once('(')?;
    Some((file, line.parse().ok()?))
}

/// The file and line that the compiler assigns to each physical line of `source`.
fn positions<'a>(program: &'a str, source: &'a str) -> Vec<(&'a str, usize)> {
    let (mut file, mut line) = (program, 1);
    let mut out = Vec::new();
    for text in source.lines() {
        out.push((file, line));
        line += 1;
        if let Some((n, name)) = line_directive(text) {
            line = n;
            file = name.unwrap_or(file);
        }
    }
    out
}

/// The operands of `#line N "file"` or `# N "file"`.
fn line_directive(text: &str) -> Option<(usize, Option<&str>)> {
    let rest = text.trim_start().strip_prefix('#')?.trim_start();
    let rest = rest.strip_prefix("line").unwrap_or(rest).trim_start();
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let number = rest[..end].parse().ok()?;
    let name = rest[end..].trim().strip_prefix('"').and_then(|r| r.split('"').next());
    Some((number, name))
}

/// The resources of one kernel for each thread, as `ptxas` reported them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Resources {
    /// The number of registers per thread.
    pub registers: u32,
    /// Bytes of stack: local arrays, and registers that did not fit.
    pub stack_bytes: u32,
    /// Bytes stored because registers did not fit: 0 in a good kernel.
    pub spill_store_bytes: u32,
    /// Bytes loaded because registers did not fit.
    pub spill_load_bytes: u32,
}

/// Finds the resources of `kernel` in a log made with `--ptxas-options=-v`.
pub(crate) fn resources(log: &str, kernel: &str) -> Option<Resources> {
    let mut found = None;
    let mut in_entry = false;
    let mut in_properties = false;
    for line in log.lines() {
        if let Some((_, rest)) = line.split_once("Compiling entry function '") {
            in_entry = rest.split('\'').next() == Some(kernel);
            in_properties = false;
        } else if let Some((_, name)) = line.split_once("Function properties for ") {
            // Functions that were not inlined have their own properties, also inside an entry.
            in_properties = name.trim() == kernel;
        } else if in_entry && in_properties && line.contains("bytes stack frame") {
            let r: &mut Resources = found.get_or_insert_default();
            r.stack_bytes = number_before(line, " bytes stack frame")?;
            r.spill_store_bytes = number_before(line, " bytes spill stores")?;
            r.spill_load_bytes = number_before(line, " bytes spill loads")?;
        } else if in_entry && line.contains("Used ") && line.contains(" registers") {
            found.get_or_insert_default().registers = number_before(line, " registers")?;
            in_entry = false;
        }
    }
    found
}

/// Returns the integer before `unit`.
fn number_before(line: &str, unit: &str) -> Option<u32> {
    let head = &line[..line.find(unit)?];
    head.rsplit(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_traced_through_line_directives() {
        let source = "int a;\n#line 40 \"src/tsit5.rs\"\nfloat g() { return y; }\n\
                      void k() { z(); }\n#line 7\nint b;\n";
        let log = "prog(1): error: bad\n  int a;\nsrc/tsit5.rs(41): error: `z` is undefined\n\
                   src/tsit5.rs(7): warning: unused\n";
        let text = explain(log, "prog", source);
        assert!(text.starts_with("prog(1): error: bad"), "{text}");
        assert!(text.contains(">     1 | int a;"), "{text}");
        assert!(text.contains(">     4 | void k() { z(); }"), "{text}");
        assert!(text.contains("      5 | #line 7"), "{text}");
        assert!(!text.contains("int b;"), "{text}");
    }

    #[test]
    fn a_log_without_positions_is_left_alone() {
        assert_eq!(explain("nvrtc: error: no\n", "p", "x"), "nvrtc: error: no");
    }

    #[test]
    fn resources_are_those_of_the_kernel() {
        let log = "ptxas info    : 272 bytes gmem\n\
            ptxas info    : Compiling entry function 'k2' for 'sm_90'\n\
            ptxas info    : Function properties for k2\n\
            ptxas         .     40 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads\n\
            ptxas info    : Used 24 registers, used 0 barriers, 40 bytes cumulative stack size\n\
            ptxas info    : Function properties for __internal_trig_reduction_slowpathd\n\
            ptxas         .     99 bytes stack frame, 9 bytes spill stores, 9 bytes spill loads\n\
            ptxas info    : Compiling entry function 'k' for 'sm_90'\n\
            ptxas info    : Function properties for helper\n\
            ptxas         .     7 bytes stack frame, 7 bytes spill stores, 7 bytes spill loads\n\
            ptxas info    : Function properties for k\n\
            ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n\
            ptxas info    : Used 32 registers, used 0 barriers\n";
        let k2 = Resources {
            registers: 24,
            stack_bytes: 40,
            spill_store_bytes: 8,
            spill_load_bytes: 12,
        };
        assert_eq!(resources(log, "k2"), Some(k2));
        assert_eq!(resources(log, "k"), Some(Resources { registers: 32, ..Default::default() }));
        assert_eq!(resources(log, "nothing"), None);
    }
}

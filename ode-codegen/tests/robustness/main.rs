//! The macros never panic and always end, whatever they are given.
//!
//! All programs of the repository, right ones and wrong ones, are changed token by token
//! ([`mutate`]) and expanded. Each expansion has to end within [`TIME`] and [`MEMORY`] on a stack
//! like rustc's, and to be a list of items. The programs are the same in every run; more of them by
//!
//! ```sh
//! ODES_FUZZ_SECONDS=600 cargo test -p ode-codegen --release --test robustness
//! ```
//!
//! The program that is being expanded lies in `robustness.rs` in cargo's `target/tmp`, for the
//! stack overflow that ends the process.

mod cases;
mod corpus;
mod memory;
mod mutate;
#[path = "../../../tests/support/random.rs"]
mod random;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Mutex, mpsc};
use std::time::{Duration, Instant};

use proc_macro2::{TokenStream, TokenTree};

use corpus::{Macro, Program};
use random::Random;

/// How many programs a run without `ODES_FUZZ_SECONDS` tries.
const PROGRAMS: u64 = 1500;

/// How much time of a processor an expansion may take. With optimisation the largest right-hand sides that are not
/// refused take 13 s, for 100 MB of code; what is refused takes up to 2 s.
const TIME: Duration = Duration::from_secs(30);

/// How many bytes an expansion may hold.
const MEMORY: usize = 1 << 30;

/// The stack of the thread that rustc expands macros on.
const STACK: usize = 8 << 20;

/// Whether an expansion has an error in it.
fn refused(expansion: &TokenStream) -> bool {
    let tokens = expansion.clone();
    tokens
        .into_iter()
        .any(|token| matches!(token, TokenTree::Ident(name) if name == "compile_error"))
}

/// Whether a name is among the tokens. To write them down would take the square of their depth.
fn names(tokens: TokenStream, wanted: &str) -> bool {
    tokens.into_iter().any(|token| matches!(&token, TokenTree::Ident(name) if name == wanted))
}

/// What an expansion hands to the macro of a function from outside, if that is how it goes on.
fn question(expansion: TokenStream) -> Option<TokenStream> {
    expansion.into_iter().find_map(|token| {
        let TokenTree::Group(group) = token else { return None };
        let mut inside = group.stream().into_iter();
        match inside.next() {
            Some(TokenTree::Group(callback)) if names(callback.stream(), "resume") => {
                Some(inside.collect())
            }
            _ => question(group.stream()),
        }
    })
}

/// What went wrong with the expansion of a program.
fn expand(
    which: Macro,
    attribute: TokenStream,
    item: TokenStream,
    function: &TokenStream,
) -> Result<(), String> {
    memory::start();
    let expansion = catch_unwind(AssertUnwindSafe(|| {
        let expanded = match which {
            Macro::System => ode_codegen::system::expand(attribute, item),
            Macro::Device => ode_codegen::translate::expand(attribute, item),
            Macro::Function => ode_codegen::system::outside::expand(attribute, item),
        };
        // Functions from outside come in one by one.
        let mut asked = question(expanded.clone());
        for _ in 0..3 {
            let Some(question) = asked else { break };
            let answered =
                ode_codegen::system::outside::resume(quote::quote!(#question { #function }));
            syn::parse2::<syn::File>(answered.clone())?;
            asked = self::question(answered);
        }
        // A module that is refused stays as it was, and may be no module.
        let untouched = matches!(which, Macro::Device) && refused(&expanded);
        if untouched { Ok(()) } else { syn::parse2::<syn::File>(expanded).map(drop) }
    }));
    let peak = memory::peak();
    match expansion {
        Err(_) => Err("a panic".to_owned()),
        Ok(Err(error)) => Err(format!("the expansion is not a list of items: {error}")),
        Ok(_) if peak > MEMORY => Err(format!("{} MiB of memory", peak >> 20)),
        Ok(_) => Ok(()),
    }
}

/// The time that processors have worked for this process, where the system has `/proc`. Other programs
/// beside the tests do not count.
fn processor_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program is in brackets, and may contain spaces.
    let mut fields = text.rsplit_once(')')?.1.split_whitespace().skip(11);
    let [user, system] = [fields.next()?.parse::<u64>().ok()?, fields.next()?.parse::<u64>().ok()?];
    // Linux counts hundredths of a second.
    Some(Duration::from_millis(10 * (user + system)))
}

/// Expands the programs on a thread of its own, which makes them (tokens cannot leave their thread),
/// and watches the time.
fn watch<I: Iterator<Item = Program>>(programs: impl FnOnce() -> I + Send + 'static) {
    // The memory is that of all threads.
    static ALONE: Mutex<()> = Mutex::new(());
    let _alone = ALONE.lock();
    let (started, watched) = mpsc::channel();
    let work = move || {
        for program in programs() {
            let text = program.text();
            std::fs::write(Path::new(env!("CARGO_TARGET_TMPDIR")).join("robustness.rs"), &text)
                .unwrap();
            started.send(Some(text.clone())).unwrap();
            let Program { which, attribute, item, function } = program;
            let [attribute, item, function] = [attribute, item, function].map(mutate::tokens);
            let outcome = expand(which, attribute, item, &function);
            if let Err(what) = outcome {
                panic!("{what}:\n{text}");
            }
            started.send(None).unwrap();
        }
    };
    let worker = std::thread::Builder::new().stack_size(STACK).spawn(work).unwrap();
    let (mut tried, mut longest) = (0, (Duration::ZERO, String::new()));
    while let Ok(Some(text)) = watched.recv() {
        let start = Instant::now();
        let cpu = processor_time();
        let used = || match (cpu, processor_time()) {
            (Some(before), Some(now)) => now.saturating_sub(before),
            _ => start.elapsed(),
        };
        let ended = loop {
            match watched.recv_timeout(Duration::from_secs(1)) {
                Err(mpsc::RecvTimeoutError::Timeout) if used() < TIME => {}
                ended => break ended,
            }
        };
        match ended {
            Ok(_) => {
                tried += 1;
                if start.elapsed() > longest.0 {
                    longest = (start.elapsed(), text);
                }
            }
            Err(mpsc::RecvTimeoutError::Timeout) => panic!("no end after {TIME:?}:\n{text}"),
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
        }
    }
    worker.join().expect("the expansion failed");
    let (time, program) = longest;
    println!("{tried} programs, none of which took longer than {time:?}:\n{program}");
}

#[test]
fn large_programs_end() {
    watch(|| cases::programs().into_iter());
}

#[test]
fn mutated_programs_end_without_a_panic() {
    let seconds = std::env::var("ODES_FUZZ_SECONDS").ok().map(|text| text.parse().unwrap());
    let limit = seconds.map(|seconds| (Instant::now(), Duration::from_secs(seconds)));
    watch(move || {
        let programs = corpus::programs();
        let goes_on = move |seed: &u64| match limit {
            Some((start, limit)) => start.elapsed() < limit,
            None => *seed < PROGRAMS,
        };
        (0..).take_while(goes_on).map(move |seed| mutate::program(&mut Random(seed), &programs))
    });
}

#!/usr/bin/env bash
# Runs the example `golden` for aarch64 under QEMU: its hash must equal the hash on x86-64.
#
#   scripts/aarch64.sh [OPTIONS] [-- ARGUMENTS]     OPTIONS: for `cargo run`; ARGUMENTS: for the example
#
# Needs a C compiler as the linker, QEMU, and the standard library for aarch64. On Debian:
#
#   apt-get install gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static
#   rustup target add aarch64-unknown-linux-gnu
#
# Without the standard library Cargo builds it from its sources. `rustup component add rust-src` installs the
# sources, or the folder ODES_RUST_SRC contains them. Debian's package `rust-src` has them in
# `/usr/src/rustc-VERSION`; VERSION must be rustc's version. The script exits with status 2 if something is missing.
set -euo pipefail
cd "$(dirname "$0")/.."

target=aarch64-unknown-linux-gnu
# missing WHAT PACKAGE
missing() {
    echo "no $1 ($2)"
    exit 2
}
command -v aarch64-linux-gnu-gcc >/dev/null || missing "linker for aarch64" \
    "apt-get install gcc-aarch64-linux-gnu libc6-dev-arm64-cross"
command -v qemu-aarch64-static >/dev/null || missing "QEMU" "apt-get install qemu-user-static"
sysroot=$(rustc --print sysroot)
from_source=()
if ! [ -d "$sysroot/lib/rustlib/$target" ]; then
    sources=${ODES_RUST_SRC:-$sysroot/lib/rustlib/src/rust}
    [ -d "$sources/library/std" ] || missing "standard library for aarch64" "rustup target add $target"
    from_source=(-Zbuild-std=std,panic_unwind)
    # Cargo builds the library with a stable compiler, from these sources.
    export RUSTC_BOOTSTRAP=1 __CARGO_TESTS_ONLY_SRC_ROOT="$sources/library"
fi
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="qemu-aarch64-static -L /usr/aarch64-linux-gnu"
cargo run "${from_source[@]}" --target "$target" --example golden "$@"

#!/usr/bin/env bash
# Builds what bench/gpu-run.sh runs:
#
#   bench/gpu-build.sh BINARIES
#
# Symbols are stripped, so that the folder is quick to copy. The programs run on any machine of
# this architecture with the same or a newer C library.
set -eu

if [ $# -ne 1 ]; then
    sed -n '2,7s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
mkdir -p "$1"
binaries=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."

# built NAME ARGUMENTS...: builds, and copies the executable of target NAME.
built() {
    local name=$1 executable
    shift
    executable=$("$@" --message-format=json-render-diagnostics |
        grep '"reason":"compiler-artifact"' | grep "\"name\":\"$name\"" |
        sed -n 's/.*"executable":"\([^"]*\)".*/\1/p' | tail -n 1)
    cp "$executable" "$binaries/$name"
    # Smaller by half; no harm where there is no `strip`.
    strip "$binaries/$name" 2>/dev/null || true
}

built gpu_selftest cargo build --release -p ode-gpu --example gpu_selftest
built lorenz cargo build --release --example lorenz
built ignition cargo build --release -p odes-examples --example ignition
built arrays cargo build --release -p odes-examples --example arrays
built linear cargo build --release -p odes-examples --example linear
built networks cargo build --release -p odes-examples --example networks
built odes-bench cargo build --release -p odes-bench
# In the profile of tests, whose compilation is quicker by far.
for name in gpu gpu_memory large acceptance dae solve stiff; do
    built "$name" cargo test -p odes-tests --no-run --test "$name"
done
ls -l "$binaries"

#!/usr/bin/env bash
# Builds the programs for bench/gpu-run.sh:
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
mkdir -p "$1/tests"
binaries=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."

# built FILE ARGUMENTS...: builds, and copies the executable of the target of that name.
built() {
    local file=$1 name executable
    name=$(basename "$file")
    shift
    executable=$("$@" --message-format=json-render-diagnostics |
        grep '"reason":"compiler-artifact"' | grep "\"name\":\"$name\"" |
        sed -n 's/.*"executable":"\([^"]*\)".*/\1/p' | tail -n 1)
    cp "$executable" "$binaries/$file"
    # The file becomes smaller by half; a missing `strip` is no error.
    strip "$binaries/$file" 2>/dev/null || true
}

built gpu_selftest cargo build --release -p ode-gpu --example gpu_selftest
built lorenz cargo build --release --example lorenz
built ignition cargo build --release -p odes-examples --example ignition
built arrays cargo build --release -p odes-examples --example arrays
built linear cargo build --release -p odes-examples --example linear
built networks cargo build --release -p odes-examples --example networks
built odes-bench cargo build --release -p odes-bench
# In the profile of tests, which compiles much faster.
for name in gpu gpu_memory arrays acceptance dae solve stiff; do
    built "tests/$name" cargo test -p odes-tests --no-run --test "$name"
done
ls -l "$binaries" "$binaries/tests"

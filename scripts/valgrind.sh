#!/usr/bin/env bash
# Runs tests of unsafe code under valgrind, which sees what a test does not: memory that is read before it
# is written, or beyond its end. What needs a GPU is not among them, and what uses AVX-512 neither:
# valgrind says that the machine has none, so the widest lanes are those of AVX2.
#
#   scripts/valgrind.sh         how bytes get to and from a device, and all kinds of lanes
#   scripts/valgrind.sh all     whole solves too
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v valgrind >/dev/null; then
    echo "skipped: no valgrind on this machine (apt-get install valgrind)"
    [ -z "${ODES_SKIPPED:-}" ] || printf 'no valgrind\tscripts/valgrind.sh\n' >>"$ODES_SKIPPED"
    exit
fi
targets=(--lib --test math_accuracy)
[ "${1:-}" != all ] || targets+=(--test bits)

# As `cargo test --workspace` builds them, so that nothing is built anew after it.
built=$(cargo test --workspace "${targets[@]}" --no-run 2>&1 | tee >(cat >&2))
# check PROGRAM [FILTER...]
check() {
    local name=$1 program
    shift
    program=$(sed -n "s:.*Executable.*(\(.*/$name-[0-9a-f]*\)).*:\1:p" <<<"$built")
    # What is still there at the end are statics of libraries.
    valgrind --quiet --error-exitcode=9 --leak-check=no "$program" "$@"
}
check ode_gpu
check ode_core
check math_accuracy lanes::
[ "${1:-}" != all ] || check bits bits::failures observables::

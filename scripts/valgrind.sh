#!/usr/bin/env bash
# Runs tests of unsafe code under valgrind, which detects reads of uninitialised memory and accesses beyond its
# end. Tests that need a GPU are left out, and no test uses AVX-512: valgrind reports a machine without
# AVX-512, so the widest lanes are AVX2's.
#
#   scripts/valgrind.sh         copies to and from a device, and all kinds of lanes
#   scripts/valgrind.sh all     complete solves too
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v valgrind >/dev/null; then
    echo "skipped: no valgrind on this machine (apt-get install valgrind)"
    [ -z "${ODES_SKIPPED:-}" ] || printf 'no valgrind\tscripts/valgrind.sh\n' >>"$ODES_SKIPPED"
    exit
fi
targets=(--lib --test math_accuracy)
[ "${1:-}" != all ] || targets+=(--test bits)

# With the options of `cargo test --workspace`, so that nothing is built again after it.
built=$(cargo test --workspace "${targets[@]}" --no-run 2>&1 | tee >(cat >&2))
# check PROGRAM [FILTER...]
check() {
    local name=$1 program
    shift
    program=$(sed -n "s:.*Executable.*(\(.*/$name-[0-9a-f]*\)).*:\1:p" <<<"$built")
    # Memory that is still reachable at the end belongs to statics of libraries.
    valgrind --quiet --error-exitcode=9 --leak-check=no "$program" "$@"
}
check ode_gpu
check ode_core
check math_accuracy lanes::
[ "${1:-}" != all ] || check bits bits::failures observables::

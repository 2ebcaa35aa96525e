#!/usr/bin/env bash
# Runs all tests and benchmarks of a GPU, from programs that were built elsewhere:
#
#   bench/gpu-run.sh BINARIES OUTPUT
#
# BINARIES is a folder with these programs (missing ones are skipped, with a message):
#
#   gpu_selftest   cargo build --release -p ode-gpu --example gpu_selftest
#   tests/gpu      cargo test -p odes-tests --no-run --test gpu, target/debug/deps/gpu-*
#   tests/…        likewise: gpu_memory, arrays, acceptance, dae, solve, stiff
#   lorenz         cargo build --release --example lorenz
#   ignition       cargo build --release -p odes-examples --example ignition
#   arrays         cargo build --release -p odes-examples --example arrays
#   linear         cargo build --release -p odes-examples --example linear
#   networks       cargo build --release -p odes-examples --example networks
#   odes-bench     cargo build --release -p odes-bench
#
# `bench/gpu-build.sh BINARIES` makes the folder. OUTPUT receives a log of each step, startup.jsonl (time
# to first solution, cold and warm) and gpu.jsonl, stiff.jsonl, events.jsonl, functions.jsonl and cpu.jsonl (the
# benchmarks' rows). Tests come first. If they fail, the benchmarks still run, because time on such machines is
# expensive, and the exit status is 1. The search for NVRTC is the usual one (see ode-gpu; ODES_NVRTC names
# a library).
#
# `odes-bench gpu` receives BENCH_ARGS; RUNS is the number of cold and warm starts (5).
set -u

if [ $# -ne 2 ]; then
    sed -n '2,30s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
binaries=$(cd "$1" && pwd) || exit 2
mkdir -p "$2" || exit 2
output=$(cd "$2" && pwd)
runs=${RUNS:-5}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# Not the user's cache, so that cold starts are cold.
export ODES_CACHE_DIR=$scratch/cache
export RUST_BACKTRACE=1
summary=()
status=0

# step NAME SECONDS COMMAND...: runs the command with its output in NAME.log, and records its outcome.
step() {
    local name=$1 limit=$2 begin=$SECONDS outcome
    shift 2
    if [ ! -x "$1" ]; then
        summary+=("$(printf '%-12s not built' "$name")")
        return 0
    fi
    timeout "$limit" "$@" >"$output/$name.log" 2>&1
    outcome=$?
    case $outcome in
    0) outcome=ok ;;
    124) outcome="stopped after $limit s" status=1 ;;
    *) outcome="FAILED ($outcome)" status=1 ;;
    esac
    summary+=("$(printf '%-12s %s, %s s' "$name" "$outcome" $((SECONDS - begin)))")
}

milliseconds() {
    echo $(($(date +%s%N) / 1000000))
}

# starts LABEL CACHE ARGUMENTS...: process start to end of the example, in milliseconds; CACHE is
# `cold` for an empty cache each time.
starts() {
    local label=$1 cache=$2 run begin end all=()
    shift 2
    for run in $(seq "$runs"); do
        [ "$cache" = cold ] && rm -rf "$ODES_CACHE_DIR"
        begin=$(milliseconds)
        "$binaries/lorenz" --backend gpu --no-plot "$@" >"$scratch/line" 2>>"$output/startup.log" ||
            { status=1; summary+=("startup      FAILED: $label"); return; }
        end=$(milliseconds)
        all+=($((end - begin)))
        printf '{"bench":"first-solution","label":"%s","cache":"%s","run":%s,"wall_ms":%s,"lorenz":"%s"}\n' \
            "$label" "$cache" "$run" $((end - begin)) "$(tr '\n' ';' <"$scratch/line")" >>"$output/startup.jsonl"
    done
    summary+=("$(printf '%-12s %-28s %s ms (median of %s)' first "$label, $cache cache" \
        "$(printf '%s\n' "${all[@]}" | sort -n | sed -n "$(((runs + 1) / 2))p")" "${all[*]}")")
}

{
    nvidia-smi
    nvidia-smi -q -d CLOCK,POWER,TEMPERATURE
    lscpu
    uname -a
} >"$output/machine.log" 2>&1

# Stripped programs have no symbols to inspect.
step selftest 300 "$binaries/gpu_selftest"
export ODES_REQUIRE_GPU=1
# A test is marked as ignored if the machine that compiled it has no GPU.
step bits 420 "$binaries/tests/gpu" --include-ignored --test-threads=1 --nocapture
step memory 120 "$binaries/tests/gpu_memory" --include-ignored --nocapture
step columns 300 "$binaries/tests/arrays" --include-ignored gpu:: --skip simulated --skip a_device_is_not_cooperative \
    --skip a_launch_fails --skip memory_does_not_suffice --test-threads=1 --nocapture
step large 180 "$binaries/tests/arrays" --include-ignored large:: --skip simulated --skip failures:: --test-threads=1 --nocapture
step acceptance 180 "$binaries/tests/acceptance" --include-ignored --skip models:: --test-threads=1 --nocapture
step models 180 "$binaries/tests/acceptance" --include-ignored models:: --test-threads=1
step dae 180 "$binaries/tests/dae" --include-ignored --skip intrinsics
step stiff 180 "$binaries/tests/stiff" --include-ignored stiff:: --nocapture
for part in auto dense pivoting; do
    step "$part" 180 "$binaries/tests/stiff" --include-ignored "$part::"
done
for part in guard options steps stops; do
    step "$part" 180 "$binaries/tests/solve" --include-ignored "$part::"
done

: >"$output/startup.jsonl"
: >"$output/startup.log"
if [ -x "$binaries/lorenz" ]; then
    starts "10000" cold
    starts "10000" warm
fi
if [ -x "$binaries/odes-bench" ]; then
    for _ in $(seq "$runs"); do
        "$binaries/odes-bench" startup >>"$output/startup.jsonl" 2>>"$output/startup.log" || status=1
    done
fi

# shellcheck disable=SC2086 # several arguments
step bench 560 "$binaries/odes-bench" gpu --json "$output/gpu.jsonl" ${BENCH_ARGS:-}
step bench-stiff 240 "$binaries/odes-bench" gpu-stiff --json "$output/stiff.jsonl"
step ignition 120 "$binaries/ignition" --backend gpu
step arrays 120 "$binaries/arrays"
step linear 300 "$binaries/linear"
step networks 300 "$binaries/networks"
step events 120 "$binaries/odes-bench" events --place gpu --json "$output/events.jsonl"
step functions 120 "$binaries/odes-bench" gpu-functions --json "$output/functions.jsonl"
step cpu 240 "$binaries/odes-bench" cpu --json "$output/cpu.jsonl"

{
    printf '%s\n' "${summary[@]}"
    grep '"bench":"startup"' "$output/startup.jsonl" | tail -n 1
    for log in bench bench-stiff ignition events functions cpu; do
        [ -f "$output/$log.log" ] && cat "$output/$log.log"
    done
    grep -hE '^test .*FAILED|panicked|^FAIL ' "$output"/*.log | head -n 20
} | tee "$output/summary.txt"
exit $status

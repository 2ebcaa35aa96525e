#!/usr/bin/env bash
# Solves an example's ensembles by several processes on this machine, one per device:
#
#   scripts/multi_gpu.sh 4
#
# Without GPUs the processes share the cores.
set -euo pipefail
cd "$(dirname "$0")/.."

processes=${1:?how many processes?}
cargo build --release -p odes-examples --example multi_gpu
program="${CARGO_TARGET_DIR:-target}/release/examples/multi_gpu"
cores=$(nproc)
running=()
for ((rank = 0; rank < processes; rank++)); do
    # As by a launcher, each process has a rank, a device and its own cores.
    first=$((rank * cores / processes)) last=$(((rank + 1) * cores / processes - 1))
    ODES_RANK="$rank/$processes" CUDA_VISIBLE_DEVICES="$rank" \
        taskset -c "$first-$((last < first ? first : last))" "$program" &
    running+=($!)
done
for process in "${running[@]}"; do wait "$process"; done

#!/usr/bin/env bash
# Submits every job of `slurm/` to a Slurm cluster of two nodes on this machine (scripts/slurm.sh), and compares their
# results with the results of one process. Needs root and Slurm; the GPUs are simulated.
set -euo pipefail
cd "$(dirname "$0")/.."

eval "$(scripts/install-mpi.sh)"
cargo build --release -p odes-examples --example cluster --example distributed
programs="$(realpath "${CARGO_TARGET_DIR:-target}")/release/examples"
scripts/slurm.sh start
trap 'scripts/slurm.sh stop' EXIT

work=$(mktemp -d)
export DEVICES=cpu
"$programs/cluster" --devices cpu --out "$work/alone" >"$work/alone.txt"
sum=$(grep -o 'sum .*' "$work/alone.txt")

# same NAME COUNT: the COUNT processes of the job have the sum and the chunks of one process.
same() {
    local found
    found=$(cat "$work/$1".txt* | grep -c "$sum") || true
    if [ "$found" -ne "$2" ] || ! diff -r -x new -x sealed "$work/alone/0000" "$work/$1/0000" >/dev/null; then
        echo "test-slurm.sh: $1: $found of $2 processes have the sum of one"
        cat "$work/$1".txt*
        exit 1
    fi
    echo "$1: $2 processes, equal"
}

# submit NAME [ARGUMENT OF SBATCH]...
submit() {
    local name=$1
    shift
    OUT="$work/$name" sbatch --wait --quiet --output="$work/$name.txt%a" "$@" "slurm/${job:-$name}.sh" "$programs/${program:-cluster}"
}

submit one-node
same one-node 1
submit many-nodes
same many-nodes 2
submit process-per-gpu
same process-per-gpu 4
submit array
same array 8
# MPI by Slurm's own launcher; rank 0 distributes chunks.
srun --mpi=pmi2 --nodes=2 --ntasks=3 "$programs/cluster" --devices cpu --out "$work/pmi2" >"$work/pmi2.txt"
same pmi2 3

# A killed process: the others do its work, and the job continues.
(
    for ((k = 0; k < 500; k++)); do
        process=$(pgrep -n -f "^$programs/cluster --out $work/killed") && kill -9 "$process" && exit
        sleep 0.01
    done
) &
job=many-nodes submit killed || true
wait
job=many-nodes submit killed
tail -n +1 "$work/killed.txt"* | grep -c "$sum" >/dev/null
diff -r -x new -x sealed "$work/alone/0000" "$work/killed/0000"
echo "killed: equal"

# A task that returns to the queue while it runs: Slurm runs it again later, and the script does not wait for it.
OUT="$work/requeued" sbatch --quiet --array=0-1 --job-name=requeued --output=/dev/null slurm/array.sh "$programs/cluster"
sleep 0.3
for task in $(squeue -h -r -n requeued -o %F_%K); do scontrol requeue "$task" 2>/dev/null || true; done
scancel -n requeued
job=array submit requeued --array=0-2
same requeued 3

program=distributed submit train-one-gpu
program=distributed submit train-two-gpus
grep -q "have the bits of one process" "$work"/train-one-gpu.txt*
[ "$(cat "$work"/train-two-gpus.txt* | grep -c 'of 2 .*have the bits of one process')" -eq 2 ]
echo "trainings: equal"

# Each process of a GPU has only its own device, on every node.
seen=$(srun --nodes=2 --ntasks=4 --gpus-per-task=1 bash -c 'echo "$SLURM_NODEID $CUDA_VISIBLE_DEVICES"' | sort | tr '\n' ';')
[ "$seen" = "0 0;0 1;1 0;1 1;" ] || { echo "test-slurm.sh: devices $seen"; exit 1; }
rm -rf "$work"

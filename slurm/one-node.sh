#!/usr/bin/env bash
# One process on one node, with all GPUs of the node (with DEVICES=cpu, its cores):
#
#   sbatch slurm/one-node.sh program
#
# If the job is submitted again, it continues: it computes only chunks that are not in the folder yet.
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --exclusive
#SBATCH --requeue
#SBATCH --open-mode=append
set -euo pipefail

srun --kill-on-bad-exit=0 "$@" --out "${OUT:-out}" --devices "${DEVICES:-all}"

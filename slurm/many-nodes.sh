#!/usr/bin/env bash
# One process on each of several nodes, with all GPUs of the node (with DEVICES=cpu, its cores):
#
#   sbatch --nodes=16 slurm/many-nodes.sh program
#
# The processes share the folder. If a process is killed, the others compute its chunks.
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --exclusive
#SBATCH --requeue
#SBATCH --open-mode=append
set -euo pipefail

srun --kill-on-bad-exit=0 "$@" --out "${OUT:-out}" --devices "${DEVICES:-all}"

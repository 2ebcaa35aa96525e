#!/usr/bin/env bash
# One process for each GPU, on several nodes:
#
#   sbatch --nodes=16 --ntasks-per-node=8 slurm/process-per-gpu.sh program
#
# The processes share the folder. Each process uses the GPU that Slurm assigns to it.
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=2
#SBATCH --gpus-per-task=1
#SBATCH --requeue
#SBATCH --open-mode=append
set -euo pipefail

srun --kill-on-bad-exit=0 "$@" --out "${OUT:-out}" --devices "${DEVICES:-auto}"

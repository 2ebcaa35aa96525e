#!/usr/bin/env bash
# One process on one node, which takes all GPUs of the node, or its cores where DEVICES=cpu:
#
#   sbatch slurm/one-node.sh program
#
# Submitted again, the job goes on: what is in the folder is not computed again.
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --exclusive
#SBATCH --requeue
#SBATCH --open-mode=append
set -euo pipefail

srun --kill-on-bad-exit=0 "$@" --out "${OUT:-out}" --devices "${DEVICES:-all}"

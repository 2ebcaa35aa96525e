#!/usr/bin/env bash
# One process on each of several nodes, each with all GPUs of its node, or its cores where DEVICES=cpu:
#
#   sbatch --nodes=16 slurm/many-nodes.sh program
#
# The processes share the folder. One that is lost is made up for by the others.
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --exclusive
#SBATCH --requeue
#SBATCH --open-mode=append
set -euo pipefail

srun --kill-on-bad-exit=0 "$@" --out "${OUT:-out}" --devices "${DEVICES:-all}"

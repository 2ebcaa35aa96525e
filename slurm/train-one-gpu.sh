#!/usr/bin/env bash
# A training on one GPU:
#
#   sbatch slurm/train-one-gpu.sh program
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --gpus=1
set -euo pipefail

srun "$@" --devices "${DEVICES:-auto}"

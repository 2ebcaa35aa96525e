#!/usr/bin/env bash
# A training on two GPUs. MPI starts one process for each GPU:
#
#   pip install mpich
#   sbatch slurm/train-two-gpus.sh program
#
# The parameters have the same bits as with one GPU. For more nodes: sbatch --nodes=8 --ntasks=16.
#SBATCH --nodes=1
#SBATCH --ntasks=2
#SBATCH --gpus-per-task=1
set -euo pipefail

"${ODES_MPIEXEC:-mpiexec}" -n "$SLURM_NTASKS" "$@" --devices "${DEVICES:-auto}"

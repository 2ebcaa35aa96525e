#!/usr/bin/env bash
# Many jobs of one process each, which Slurm starts as resources become free:
#
#   sbatch --array=0-99%10 slurm/array.sh program
#
# The jobs share the folder, and each job computes chunks that are not in the folder yet. Slurm restarts
# preempted jobs. When all results are in the folder, further jobs read them and end.
#SBATCH --array=0-7%4
#SBATCH --ntasks=1
#SBATCH --requeue
#SBATCH --open-mode=append
set -euo pipefail

"$@" --out "${OUT:-out}" --devices "${DEVICES:-auto}"

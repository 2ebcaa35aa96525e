#!/usr/bin/env bash
# Small jobs, which Slurm starts as it finds room for them:
#
#   sbatch --array=0-99%10 slurm/array.sh program
#
# They share the folder. A job that begins late does what is left, and one that is preempted is started
# again. Once all is there, further jobs end at once.
#SBATCH --array=0-7%4
#SBATCH --ntasks=1
#SBATCH --requeue
#SBATCH --open-mode=append
set -euo pipefail

"$@" --out "${OUT:-out}" --devices "${DEVICES:-auto}"

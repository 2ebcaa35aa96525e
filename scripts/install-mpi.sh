#!/bin/sh
# Installs an MPI with the standard's binary interface, without root: the PyPI wheel of MPICH in a virtual
# environment. Does nothing if it is already installed there.
#
#   scripts/install-mpi.sh [FOLDER]     FOLDER: the environment, default target/mpi in the repository
#
# Prints lines for eval, by which tests find and require this MPI. Start programs by its `mpiexec`:
#
#   eval "$(scripts/install-mpi.sh)"
#   "$ODES_MPIEXEC" -n 4 program
set -eu

version=5.0.2
folder=${1:-$(dirname "$0")/../target/mpi}

mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
installed() {
    ls -d "$folder"/lib/python3*/site-packages/mpich-"$version".dist-info >/dev/null 2>&1
}
if ! installed; then
    [ -x "$folder/bin/python3" ] || python3 -m venv "$folder" >&2
    "$folder/bin/python3" -m pip install --quiet --disable-pip-version-check "mpich==$version" >&2
fi
installed || {
    echo "install-mpi.sh: mpich $version is not in $folder" >&2
    exit 1
}
echo "export ODES_MPI='$folder/lib/libmpi_abi.so.1'"
echo "export ODES_MPIEXEC='$folder/bin/mpiexec'"
echo "export ODES_REQUIRE_MPI=1"

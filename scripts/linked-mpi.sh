#!/bin/sh
# Prints lines for eval, by which tests find and require an MPI without the standard binary interface: Debian's Open MPI.
# Fails if Open MPI is not installed, or libclang, which the build needs:
#
#   apt-get install openmpi-bin libopenmpi-dev libclang-dev
#   eval "$(scripts/linked-mpi.sh)"
#   cargo test -p odes-tests --features linked-mpi --test cluster messages::
set -eu

for name in mpicc.openmpi mpiexec.openmpi; do
    command -v "$name" >/dev/null || {
        echo "linked-mpi.sh: there is no $name" >&2
        exit 1
    }
done
ls /usr/lib/*/libclang*.so* /usr/lib/llvm-*/lib/libclang*.so* >/dev/null 2>&1 || [ -n "${LIBCLANG_PATH:-}" ] || {
    echo "linked-mpi.sh: there is no libclang" >&2
    exit 1
}
echo "export MPICC=mpicc.openmpi"
echo "export ODES_MPIEXEC='$(command -v mpiexec.openmpi)' ODES_REQUIRE_MPI=1"
# By default Open MPI starts at most one rank per core, and none for root.
echo "export OMPI_MCA_rmaps_base_oversubscribe=1"
echo "export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"

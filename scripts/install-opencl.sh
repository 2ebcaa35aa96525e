#!/bin/sh
# Installs Intel's OpenCL runtime for CPUs without root: PyPI wheels in a virtual environment. Does nothing
# if it is already installed there. There are wheels for Linux and Windows on x86-64; on other machines the script
# only prints that it has none.
#
#   scripts/install-opencl.sh [FOLDER]     FOLDER: the environment, default .venv in the repository
#
# Prints lines for eval, by which tests find and require the runtime:
#
#   eval "$(scripts/install-opencl.sh)"
set -eu

version=2026.2.0
folder=${1:-$(dirname "$0")/../.venv}

if [ "$(uname -sm)" != "Linux x86_64" ]; then
    echo "install-opencl.sh: Intel has no OpenCL runtime for $(uname -sm)" >&2
    exit 0
fi
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
installed() {
    for package in intel_opencl_rt intel_cmplr_lib_rt; do
        ls -d "$folder"/lib/python3*/site-packages/$package-"$version".dist-info >/dev/null 2>&1 || return
    done
}
if ! installed; then
    [ -x "$folder/bin/python3" ] || python3 -m venv "$folder" >&2
    # The second has libraries that the first needs but does not depend on.
    "$folder/bin/python3" -m pip install --quiet --disable-pip-version-check \
        "intel-opencl-rt==$version" "intel-cmplr-lib-rt==$version" >&2
fi
installed || {
    echo "install-opencl.sh: intel-opencl-rt $version is not in $folder" >&2
    exit 1
}
# The path of the runtime itself: tests need neither a loader nor a list of runtimes.
echo "export OPENCL_DYLIB_PATH='$folder/lib/libintelocl.so'"
echo "export ODES_REQUIRE_OPENCL=1"

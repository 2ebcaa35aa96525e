#!/bin/sh
# Installs NVRTC, CUDA's run-time compiler, without a toolkit and without root: the PyPI wheel
# in a virtual environment. Does nothing if it is already installed there.
#
#   scripts/install-nvrtc.sh [FOLDER]     FOLDER: the environment, default .venv in the repository
#
# Prints lines for eval, by which odes finds NVRTC and tests require it:
#
#   eval "$(scripts/install-nvrtc.sh)"
set -eu

version=13.0.88
folder=${1:-$(dirname "$0")/../.venv}

mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
installed() {
    ls -d "$folder"/lib/python3*/site-packages/nvidia_cuda_nvrtc-"$version".dist-info >/dev/null 2>&1
}
if ! installed; then
    [ -x "$folder/bin/python3" ] || python3 -m venv "$folder" >&2
    "$folder/bin/python3" -m pip install --quiet --disable-pip-version-check \
        "nvidia-cuda-nvrtc==$version" >&2
fi
installed || {
    echo "install-nvrtc.sh: nvidia-cuda-nvrtc $version is not in $folder" >&2
    exit 1
}
echo "export VIRTUAL_ENV='$folder'"
echo "export ODES_REQUIRE_NVRTC=1"

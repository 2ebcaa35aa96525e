#!/bin/sh
# Makes a virtual environment with the packages of docs/outside.md and docs/results-files.md in
# target/python, and prints the path of its interpreter. Does nothing else if the environment has these packages.
set -eu

packages='numpy==2.4.6 pandas==3.1.1 xarray==2026.9.0 zarr==3.1.6 matplotlib==3.11.2'
folder=$(dirname "$0")/../target/python

if [ "$(cat "$folder/packages" 2>/dev/null)" != "$packages" ]; then
    mkdir -p "$(dirname "$folder")"
    python3 -m venv --clear "$folder" >&2
    # shellcheck disable=SC2086 # one word for each package
    "$folder/bin/python3" -m pip install --quiet --disable-pip-version-check $packages >&2
    echo "$packages" >"$folder/packages"
fi
echo "$(cd "$folder" && pwd)/bin/python3"

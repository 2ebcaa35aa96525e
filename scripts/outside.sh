#!/usr/bin/env bash
# Runs the Python of docs/outside.md and docs/results-files.md on the files that the programs of the pages
# write.
#
#   scripts/outside.sh [FOLDER]     FOLDER: contains the files, if the tests of the documentation ran with
#                                   ODES_WRITTEN=FOLDER. By default the script runs these tests, which write
#                                   to target/written.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! python3 -c 'import ensurepip, venv' 2>/dev/null; then
    echo "skipped: no python3 with venv on this machine (apt-get install python3-venv)"
    [ -z "${ODES_SKIPPED:-}" ] || printf 'no python3 with venv\tscripts/outside.sh\n' >>"$ODES_SKIPPED"
    exit
fi
python=$(scripts/python.sh)
if [ $# = 1 ]; then
    folder=$1
else
    folder=target/written
    mkdir -p "$folder"
    # A folder of results is never replaced.
    rm -rf "$folder"/*.zarr
    ODES_WRITTEN="$PWD/$folder" cargo test --doc -p odes --features save -- docs::outside docs::results_files
fi
for page in outside results-files; do
    "$python" scripts/outside.py "docs/$page.md" "$folder"
done

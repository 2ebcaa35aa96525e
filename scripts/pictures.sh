#!/usr/bin/env bash
# Draws the pictures of docs/pictures, and compares the results on docs/primer.md with its programs' output.
#
#   scripts/pictures.sh results      compares the results
#   scripts/pictures.sh primer       also draws the output of the programs of docs/primer.md and docs/outside.md,
#                                    by Matplotlib
#   scripts/pictures.sh examples     draws the pictures of the examples, by release builds, and makes them smaller
#   scripts/pictures.sh              all
set -euo pipefail
cd "$(dirname "$0")/.."

what=${1:-all}
python=$(scripts/python.sh)
out=docs/pictures
mkdir -p "$out"

if [ "$what" != examples ]; then
    # The programs of the pages, as a user's project.
    project=target/pages
    export ODES_WRITTEN=$PWD/$project/written
    "$python" scripts/pictures.py programs "$project" docs/primer.md docs/outside.md
    cp Cargo.lock "$project"
    mkdir -p "$ODES_WRITTEN"
    CARGO_TARGET_DIR=target cargo build --manifest-path "$project/Cargo.toml" --bins
    for program in "$project"/src/bin/*.rs; do
        name=$(basename "$program" .rs)
        "target/debug/$name" >"$project/$name.txt"
    done
    "$python" scripts/pictures.py results docs/primer.md "$project"
fi
if [ "$what" = primer ] || [ "$what" = all ]; then
    "$python" scripts/outside.py docs/outside.md "$ODES_WRITTEN"
    "$python" scripts/pictures.py primer "$ODES_WRITTEN" "$out"
    "$python" scripts/pictures.py small "$ODES_WRITTEN/hunting.png" "$out/outside.png"
fi
if [ "$what" = examples ] || [ "$what" = all ]; then
    examples=(bands bouncing dosing ignition lorenz neural_ode neurons poincare)
    cargo build --release -p odes -p odes-examples "${examples[@]/#/--example=}"
    for example in "${examples[@]}"; do
        options=() width=1000
        case $example in
        ignition) options=(--side 256) ;;
        neural_ode) options=(--measure 0) ;;
        # With a million points, a smaller picture is hardly a smaller file.
        poincare) width=640 ;;
        esac
        "target/release/examples/$example" "${options[@]}" --plot "target/$example.png"
        "$python" scripts/pictures.py small "target/$example.png" "$out/$example.png" "$width"
    done
fi

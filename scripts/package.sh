#!/usr/bin/env bash
# Makes the archives of the published crates and builds each from its own, in `target/package`. They see
# each other's archives, not those of crates.io.
#
#   scripts/package.sh [--no-verify]     --no-verify: builds none
set -euo pipefail
cd "$(dirname "$0")/.."

crates=(ode-codegen ode-macros ode-core ode-gpu ode-arrays ode-cluster odes)
cargo package --allow-dirty "$@" "${crates[@]/#/--package=}"
for crate in "${crates[@]}"; do
    for file in README.md LICENSE-MIT LICENSE-APACHE; do
        if ! tar tf target/package/"$crate"-[0-9]*.crate | grep "^$crate-[^/]*/$file\$" >/dev/null; then
            echo "package.sh: the archive of $crate has no $file"
            exit 1
        fi
    done
done

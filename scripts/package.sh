#!/usr/bin/env bash
# Makes the archives of the published crates and builds each crate from its archive, in `target/package`. Crates
# depend on each other's archives, not on crates.io. Fails if an archive lacks its README, or if one of its
# licences differs from the root's.
#
#   scripts/package.sh [--no-verify]     --no-verify: without the builds
set -euo pipefail
cd "$(dirname "$0")/.."

# fail CRATE MESSAGE
fail() {
    echo "package.sh: the archive of $1 $2" >&2
    exit 1
}
crates=(ode-codegen ode-macros ode-core ode-gpu ode-arrays ode-cluster odes)
cargo package --allow-dirty "$@" "${crates[@]/#/--package=}"
version=$(sed -n '/^\[workspace.package\]/,/^\[package\]/s/^version = "\(.*\)"/\1/p' Cargo.toml)
for crate in "${crates[@]}"; do
    archive=target/package/$crate-$version.crate
    content() { tar -xOf "$archive" "$crate-$version/$1" 2>/dev/null; }
    [ "$(content README.md | wc -c)" -gt 300 ] || fail "$crate" "has no README.md"
    for licence in LICENSE-MIT LICENSE-APACHE; do
        content "$licence" | cmp -s - "$licence" || fail "$crate" "has another $licence than the root"
    done
done

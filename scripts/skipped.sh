#!/bin/sh
# Prints the number of checks that were skipped for each requirement that this machine lacks. Cargo itself reports
# tests that check nothing without a requirement, as ignored.
#
#   scripts/skipped.sh FILE     FILE: the value of ODES_SKIPPED during the tests
set -eu
export LC_ALL=C

if [ ! -s "$1" ]; then
    echo "no check skipped beside ignored tests"
    exit
fi
# A test that reports twice counts once.
sort -u "$1" | cut -f 1 | uniq -c | while read -r count reason; do
    echo "$count checks skipped beside ignored tests: $reason"
done

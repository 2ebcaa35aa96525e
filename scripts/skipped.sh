#!/bin/sh
# Prints how many checks were skipped since this machine lacks something, by what it lacks. Cargo itself reports
# the tests that check nothing without it, as ignored.
#
#   scripts/skipped.sh FILE     FILE: what ODES_SKIPPED named while they ran
set -eu
export LC_ALL=C

if [ ! -s "$1" ]; then
    echo "no check skipped beside ignored tests"
    exit
fi
# A test that asks twice is one test.
sort -u "$1" | cut -f 1 | uniq -c | while read -r count reason; do
    echo "$count checks skipped beside ignored tests: $reason"
done

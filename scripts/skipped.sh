#!/bin/sh
# Says how many tests checked nothing since this machine lacks something, by what it lacks.
#
#   scripts/skipped.sh FILE     FILE: what ODES_SKIPPED named while they ran
set -eu
export LC_ALL=C

if [ ! -s "$1" ]; then
    echo "no check skipped"
    exit
fi
# A test that asks twice is one test.
sort -u "$1" | cut -f 1 | uniq -c | while read -r count reason; do
    echo "$count checks skipped: $reason"
done

#!/usr/bin/env bash
# Runs the short benchmarks, and adds their results to a folder: .github/nightly.sh FOLDER
set -euo pipefail
[ $# -eq 1 ] || { echo "usage: .github/nightly.sh FOLDER" >&2; exit 2; }
mkdir -p "$1"
folder=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
for benchmark in filters cascade reconcile operator; do
  ./sluice bench "$benchmark" --quick --out "$out"
done
for result in "$out"/*.json; do
  cp "$result" "$folder/$(date -u +%Y-%m-%d)-$(basename "$result")"
done

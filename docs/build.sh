#!/usr/bin/env bash
# Builds the documentation site into docs/.vitepress/dist, and visits it in a browser if there is one; needs node 20 or newer.
set -euo pipefail
cd "$(dirname "$0")"
npm ci --no-audit --no-fund
npm run build
npm run --silent check

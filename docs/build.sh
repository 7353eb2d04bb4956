#!/usr/bin/env bash
# Builds the documentation site into docs/.vitepress/dist, and visits it in a browser if there is one; needs a JDK and node 20 or newer.
set -euo pipefail
cd "$(dirname "$0")"
# The arithmetic of `sluice plan`, for the calculator of the page on sizing.
(cd .. && ./mvnw -B -ntp -q -Dquick -Dmaven.test.skip package -Psite -pl docs/calculator -am)
npm ci --no-audit --no-fund
node timeline.mjs
npm run build
# The Javadoc of what users program against, beside the pages, without packages that are internal as a whole.
(cd .. && ./mvnw -B -ntp -q -Dquick compile javadoc:aggregate -pl filters,state-backend,flink-operators/test-kit,flink-operators/core,flink-operators/sql,flink-operators/machines,flink-operators/reconcile -am \
  -DexcludePackageNames=io.sluice.filter.annotation,io.sluice.filter.cascade.file,io.sluice.filter.sample,io.sluice.state.heap,io.sluice.state.restore,io.sluice.state.snapshot,io.sluice.flink.runtime,io.sluice.flink.testkit.process)
cp -r ../target/reports/apidocs .vitepress/dist/api
npm run --silent check-calculator
npm run --silent check

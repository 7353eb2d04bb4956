#!/usr/bin/env bash
# Compiles and tests the examples against the artifacts of Sluice that are installed in REPOSITORY, a local repository of Maven:
#   examples/run-all.sh REPOSITORY [OPTION OF MAVEN...]
# What is not from Sluice is read from the usual local repository, and downloaded into REPOSITORY if it is not there.
set -euo pipefail
cd "$(dirname "$0")"
if [ $# -eq 0 ]; then
  echo "usage: examples/run-all.sh REPOSITORY [OPTION OF MAVEN...]" >&2
  exit 2
fi
repository=$(cd "$1" && pwd)
shift
if [ ! -d "$repository/io/sluice/sluice-bom" ]; then
  echo "$repository has no io.sluice:sluice-bom: install Sluice there with ./mvnw -Dquick install -Dmaven.repo.local=$repository" >&2
  exit 1
fi

# Copied out of the checkout: nothing above an example helps it, and nothing is left behind.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for pom in */pom.xml; do
  example=${pom%/pom.xml}
  cp -R "$example" "$work/$example"
  rm -rf "${work:?}/$example/target"
  ../mvnw -B -ntp -q "$@" -f "$work/$example/pom.xml" test -Dmaven.repo.local="$repository" \
    -Dmaven.repo.local.tail="$HOME/.m2/repository" -Dmaven.repo.local.tail.ignoreAvailability=true
  # Surefire says nothing with -q, not even that there was no test.
  tests=$(sed -n 's/.*<testsuite .* tests="\([0-9]*\)".*/\1/p' "$work/$example"/target/surefire-reports/TEST-*.xml | paste -sd+)
  echo "-- examples/$example: $((tests)) tests passed"
done

if command -v python3 >/dev/null; then
  PYTHONPYCACHEPREFIX="$work" python3 -m py_compile pyflink/*.py
  if python3 -c 'import pyflink.table' 2>/dev/null; then
    version=$(sed -n 's:.*<sluice.version>\(.*\)</sluice.version>.*:\1:p' pyflink/pom.xml)
    python3 pyflink/orders.py "$repository/io/sluice/sluice-flink-2.3/$version/sluice-flink-2.3-$version.jar"
  else
    echo "-- examples/pyflink: there is no PyFlink here, so the script was compiled and its configuration and SQL were run from Java"
  fi
else
  echo "-- examples/pyflink: there is no Python here, so only its configuration and SQL were run, from Java"
fi

#!/usr/bin/env bash
# Fuzzes every reader, one after the other: verification/fuzz/all.sh [TIME, such as 60s, 10m or 1h] [PATTERN of Class#method]
# Or lists them: verification/fuzz/all.sh list
# What a fuzzer finds stays as an input below src/test/resources, and is a test from then on.
set -euo pipefail
cd "$(dirname "$0")/../.."
time=${1:-5m}
pattern=${2:-.}

methods=$(find verification/fuzz/src/test/java -name '*FuzzTest.java' | sort | while read -r file; do
  grep -A1 '@FuzzTest' "$file" | sed -n "s/^ *void \([a-zA-Z]*\)(.*/$(basename "$file" .java)#\1/p"
done | grep -E "$pattern") || { echo "no reader matches '$pattern'" >&2; exit 2; }

if [ "$time" = list ]; then
  echo "$methods"
  exit
fi

# Into a repository of its own: what was downloaded is read from the usual one.
repository=(-Dmaven.repo.local="$PWD/verification/fuzz/target/repository" -Dmaven.repo.local.tail="$HOME/.m2/repository"
  -Dmaven.repo.local.tail.ignoreAvailability=true)
./mvnw -B -ntp -q -Dquick install -pl verification/fuzz -am "${repository[@]}"

failed=0
for method in $methods; do
  printf '%s  ' "$method"
  log=verification/fuzz/target/fuzzing-${method/\#/-}.log
  if ./mvnw -B -ntp test -pl verification/fuzz -Pfuzzing "${repository[@]}" -Dtest="$method" -Djazzer.max_duration="$time" >"$log" 2>&1; then
    grep -o 'Done [0-9]* runs in [0-9]* second' "$log" || { echo "did not fuzz: see $log"; failed=1; }
  else
    echo "FAILED: see $log"
    failed=1
  fi
done
exit "$failed"

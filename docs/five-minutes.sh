#!/usr/bin/env bash
# From a clone to a deduplicated topic in five minutes, with nothing but a JDK 17: docs/dedup-job.md,
# step by step. Ends with an error if the topic does not hold each record once.
set -euo pipefail
cd "$(dirname "$0")/.."

work=$(mktemp -d)
broker=
stop() {
  [ -z "$broker" ] || kill "$broker" 2>/dev/null || true
  [ -z "$broker" ] || wait "$broker" || true
  rm -rf "$work"
}
trap stop EXIT
step() { printf '\n$ %s\n' "$*"; "$@"; }

# The first command builds what it needs.
step ./sluice generate --packets 20000 "$work/records.pcap.gz"

printf '\n$ ./sluice broker --port 0 &\n'
# It is read before the shell in the background may have opened it.
: >"$work/broker.log"
./sluice broker --port 0 >"$work/broker.log" 2>&1 &
broker=$!
servers=
for _ in $(seq 60); do
  servers=$(sed -n 's/^Kafka runs at \([^;]*\);.*/\1/p' "$work/broker.log")
  [ -z "$servers" ] || break
  kill -0 "$broker" 2>/dev/null || { cat "$work/broker.log"; exit 1; }
  sleep 1
done
[ -n "$servers" ] || { echo "the broker did not start"; cat "$work/broker.log"; exit 1; }
cat "$work/broker.log"

# A client that retries: 20,000 records, and some of them again.
step ./sluice replay "$work/records.pcap.gz" --topic orders --bootstrap-servers "$servers" | tee "$work/replay.log"

# Each record once.
step ./sluice job dedup --bootstrap-servers "$servers" --input-topic orders --id value --within "1 h" --bounded |
  tee "$work/dedup.log"

sent=$(sed -n 's/^\([0-9,]*\) operations of .*/\1/p' "$work/replay.log")
written=$(sed -n "s/^ *\([0-9,]*\) records written to topic 'orders-deduplicated'.*/\1/p" "$work/dedup.log")
if [ -z "$sent" ] || [ "$sent" != "$written" ]; then
  echo "topic 'orders-deduplicated' has '$written' records, expected '$sent'"
  exit 1
fi
printf "\nTopic 'orders-deduplicated' has each of the %s records once.\n" "$sent"

#!/bin/sh
# Checks this directory as far as that goes without a Docker daemon: images are the versions that Sluice is built
# against, mounted files exist, promtool accepts Prometheus's configuration and the rules pass their tests, and docker-compose
# accepts compose.yaml. Says so where promtool or docker-compose is not installed.
set -eu
cd "$(dirname "$0")"

fail() {
  echo "docker/check.sh: $1" >&2
  exit 1
}

version_of() {
  sed -n "s:.*<$1>\(.*\)</$1>.*:\1:p" ../pom.xml
}

# image name, property of the parent pom, suffix of the tag
image_matches() {
  expected="$1:$(version_of "$2")$3"
  grep -q "image: $1:" compose.yaml || fail "compose.yaml has no image $1"
  grep "image: $1:" compose.yaml | grep -qv "image: $expected\$" && fail "compose.yaml must use $expected, as pom.xml does"
  return 0
}

image_matches flink flink.version -java17
image_matches apache/kafka kafka.version ""
image_matches prom/prometheus prometheus.image.version ""
image_matches grafana/grafana grafana.image.version ""

for file in flink/config.yaml flink/log4j-console.properties flink/log4j-cli.properties prometheus/prometheus.yml \
  prometheus/rules.yml grafana/provisioning/datasources/prometheus.yaml grafana/provisioning/dashboards/sluice.yaml; do
  [ -f "$file" ] || fail "$file is missing"
done
if command -v promtool >/dev/null; then
  promtool check config prometheus/prometheus.yml >/dev/null || fail "promtool does not accept prometheus/prometheus.yml"
  promtool test rules prometheus/rules-test.yml || fail "prometheus/rules.yml fails its tests"
  for alert in $(sed -n 's/^ *- alert: //p' prometheus/rules.yml); do
    for verdict in fires "does not fire"; do
      grep -q "name: $alert $verdict\$" prometheus/rules-test.yml || fail "rules-test.yml does not say when $alert $verdict"
    done
  done
  echo "docker/check.sh: $(grep -c 'alert:' prometheus/rules.yml) rules for alerts pass their tests"
else
  echo "docker/check.sh: skipped the rules for alerts: promtool is not installed (apt-get install prometheus)"
fi

if command -v docker-compose >/dev/null; then
  compose=docker-compose
elif docker compose version >/dev/null 2>&1; then
  compose="docker compose"
else
  echo "docker/check.sh: images and files match; skipped its syntax: docker-compose is not installed"
  exit 0
fi
$compose -f compose.yaml config --quiet || fail "$compose does not accept compose.yaml"
echo "docker/check.sh: compose.yaml is accepted by $($compose version --short 2>/dev/null | head -n 1) of $compose; it was not run"

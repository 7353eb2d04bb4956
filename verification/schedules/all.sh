#!/usr/bin/env bash
# Runs threads that meet under many schedules: verification/schedules/all.sh [SCHEDULES of each test, 300] [PATTERN of tests, as surefire's]
# Needs a JDK 25 on Linux, x86-64: JDK25_HOME says where it is. Everything else is built with the usual one.
# SEED=N chooses other schedules; FIRST=N begins with that one: FIRST=17 verification/schedules/all.sh 1 Test#method repeats the 17th.
set -euo pipefail
cd "$(dirname "$0")/../.."
schedules=${1:-300}
tests=${2:-'*SchedulesTest'}

jdk=${JDK25_HOME:-${JAVA_HOME_25_X64:-$(ls -d /usr/lib/jvm/*25* 2>/dev/null | head -1)}}
if ! "$jdk/bin/java" -version 2>&1 | grep -q '"25'; then
  echo "'$jdk' is no JDK 25: set JDK25_HOME to one" >&2
  exit 2
fi

# Into a repository of its own: what was downloaded is read from the usual one.
fray=verification/schedules/target/fray
repository=(-Dmaven.repo.local="$PWD/verification/schedules/target/repository" -Dmaven.repo.local.tail="$HOME/.m2/repository"
  -Dmaven.repo.local.tail.ignoreAvailability=true)
./mvnw -B -ntp -q -Dquick -DskipTests install -pl verification/schedules -am -Pschedules "${repository[@]}"

# The JDK's own locks, atomics and threads ask the scheduler too.
if [ ! -x "$fray/java/bin/java" ]; then
  modules=$(echo "$fray"/modules/*.jar | tr ' ' ':')
  rm -rf "$fray/java"
  "$jdk/bin/jlink" -J-javaagent:"$(echo "$fray"/modules/fray-instrumentation-jdk-*.jar)" -J--module-path="$modules" \
    -J--class-path="$modules" -J--add-modules=org.pastalab.fray.instrumentation.jdk --fray-instrumentation \
    --add-modules=java.se,jdk.unsupported,jdk.management --output="$fray/java"
fi

./mvnw -B -ntp test -pl verification/schedules -Pschedules "${repository[@]}" -Dtest="$tests" -Dschedules="$schedules" \
  -Dschedules.first="${FIRST:-0}" ${SEED:+-Dtest.seed="$SEED"}

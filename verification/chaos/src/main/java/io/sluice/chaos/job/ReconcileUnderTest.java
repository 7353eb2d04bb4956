/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.job;

import io.sluice.chaos.check.CheckResult;
import io.sluice.chaos.check.ReplicasCheck;
import io.sluice.chaos.check.TopicReader;
import io.sluice.chaos.truth.AckLog;
import io.sluice.chaos.truth.ReplicasScript;
import io.sluice.chaos.truth.Script;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** {@code ReconcileJob}, both replicas: each has the union. */
final class ReconcileUnderTest implements ChaosJob {
    private static final Duration WINDOW = Duration.ofSeconds(20);

    /** The default of {@code --out-of-orderness}. */
    private static final Duration OUT_OF_ORDER = Duration.ofSeconds(5);

    private static final List<String> REPLICAS = List.of("east", "west");

    @Override
    public String name() {
        return "reconcile";
    }

    @Override
    public List<String> inputTopics() {
        return REPLICAS.stream().map(ReconcileUnderTest::input).toList();
    }

    private static String input(String replica) {
        return "packets-" + replica;
    }

    @Override
    public List<Part> parts() {
        return List.of(part("east", "west"), part("west", "east"));
    }

    private static Part part(String replica, String peer) {
        return new Part(
                "reconcile-" + replica,
                "sluice-reconcile-" + replica,
                List.of(input(replica)),
                false,
                Program.ofJar(
                        "io.sluice.job.reconcile.ReconcileJob",
                        (servers, choice) -> arguments(servers, choice, replica, peer)));
    }

    private static List<String> arguments(
            String servers, SplittableRandom choice, String replica, String peer) {
        List<String> arguments = new ArrayList<>(Options.common(servers));
        arguments.addAll(
                List.of(
                        "--input-topic=" + input(replica),
                        "--replica=" + replica,
                        "--peer=" + peer,
                        "--window=" + WINDOW.toMillis() + " ms",
                        "--retry-after=" + (choice.nextBoolean() ? "5 s" : "10 s"),
                        "--ttl=1 h",
                        "--write-elements"));
        return arguments;
    }

    @Override
    public Script script(SplittableRandom random, int perSecond) {
        return new ReplicasScript(inputTopics(), PARTITIONS, random, perSecond);
    }

    @Override
    public boolean endsLater() {
        return true;
    }

    @Override
    public void check(TopicReader topics, AckLog log, CheckResult verdict) throws IOException {
        ReplicasCheck replicas =
                new ReplicasCheck(WINDOW.toMillis(), OUT_OF_ORDER.toMillis(), verdict);
        for (int side = 0; side < REPLICAS.size(); side++) {
            int here = side;
            OneInputJob.readInput(
                    input(REPLICAS.get(side)), topics, log, record -> replicas.input(here, record));
        }
        for (int side = 0; side < REPLICAS.size(); side++) {
            int here = side;
            String prefix = "reconcile-" + REPLICAS.get(side) + "-";
            topics.read(prefix + "late", record -> replicas.late(here, record));
            topics.read(prefix + "elements", record -> replicas.element(here, record));
            topics.read(prefix + "corrections", record -> replicas.correction(here, record));
            topics.read(prefix + "reports", record -> replicas.report(here, record));
        }
        replicas.judge();
    }
}

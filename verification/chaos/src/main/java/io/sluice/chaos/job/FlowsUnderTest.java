/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.job;

import io.sluice.chaos.check.CheckResult;
import io.sluice.chaos.check.FlowsCheck;
import io.sluice.chaos.check.TopicReader;
import io.sluice.chaos.truth.AckLog;
import io.sluice.chaos.truth.FlowsScript;
import io.sluice.chaos.truth.Script;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** {@code FlowsJob} with the exact store: each flow once. */
final class FlowsUnderTest extends OneInputJob {
    private static final String INPUT = "flow-packets";

    /** Longer than any outage, which must not make two flows of one. */
    private static final Duration TIMEOUT = Duration.ofMinutes(1);

    /** A flow times out between its timeout and twice that, and event time is 5 s behind. */
    private static final Duration REPORTED_AFTER = Duration.ofMinutes(2).plusSeconds(10);

    FlowsUnderTest() {
        super(
                "flows",
                INPUT,
                "sluice-flows",
                false,
                Program.ofJar("io.sluice.job.flows.FlowsJob", FlowsUnderTest::arguments));
    }

    private static List<String> arguments(String servers, SplittableRandom choice) {
        List<String> arguments = new ArrayList<>(Options.common(servers));
        arguments.addAll(
                List.of(
                        "--input-topic=" + INPUT,
                        "--store=exact",
                        "--opening-timeout=" + TIMEOUT.toMillis() + " ms",
                        "--closed-timeout=" + TIMEOUT.toMillis() + " ms",
                        "--memory=" + (choice.nextBoolean() ? "32mb" : "48mb"),
                        "--expecting=" + (choice.nextBoolean() ? "10000" : "40000")));
        return arguments;
    }

    @Override
    public Script script(SplittableRandom random, int perSecond) {
        return new FlowsScript(INPUT, PARTITIONS, random, perSecond);
    }

    @Override
    public void check(TopicReader topics, AckLog log, CheckResult verdict) throws IOException {
        FlowsCheck flows = new FlowsCheck(TIMEOUT.toMillis(), REPORTED_AFTER.toMillis(), verdict);
        readInput(topics, log, flows::input);
        topics.read("flows", flows::report);
        flows.judge();
    }
}

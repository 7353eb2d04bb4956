/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.job;

import io.sluice.chaos.check.CheckResult;
import io.sluice.chaos.check.CountersCheck;
import io.sluice.chaos.check.TopicReader;
import io.sluice.chaos.truth.AckLog;
import io.sluice.chaos.truth.OperationScript;
import io.sluice.chaos.truth.Script;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** {@code CountersJob}: each operation counts once. */
final class CountersUnderTest extends OneInputJob {
    private static final String INPUT = "operations";

    CountersUnderTest() {
        super(
                "counters",
                INPUT,
                "sluice-counters",
                false,
                Program.ofJar("io.sluice.job.counters.CountersJob", CountersUnderTest::arguments));
    }

    private static List<String> arguments(String servers, SplittableRandom choice) {
        List<String> arguments = new ArrayList<>(Options.common(servers));
        arguments.addAll(Options.filter(choice));
        arguments.addAll(
                List.of(
                        "--input-topic=" + INPUT,
                        "--within=" + Options.WINDOW.toMillis() + " ms",
                        "--emit-every=" + (choice.nextBoolean() ? "1 s" : "300 ms")));
        return arguments;
    }

    @Override
    public Script script(SplittableRandom random, int perSecond) {
        return new OperationScript(INPUT, PARTITIONS, random, Options.WINDOW, perSecond);
    }

    @Override
    public boolean readsTimesThatJump() {
        return true;
    }

    @Override
    public void check(TopicReader topics, AckLog log, CheckResult verdict) throws IOException {
        CountersCheck counters =
                new CountersCheck(Options.WINDOW.toMillis(), Options.MAX_FPP, verdict);
        readInput(topics, log, counters::input);
        topics.read("counters-duplicates", counters::duplicate);
        topics.read("counters-late", counters::late);
        topics.read("counters", counters::value);
        counters.judge();
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.job;

import io.sluice.chaos.check.CheckResult;
import io.sluice.chaos.check.FirstsCheck;
import io.sluice.chaos.check.TopicReader;
import io.sluice.chaos.truth.AckLog;
import io.sluice.chaos.truth.OrderScript;
import io.sluice.chaos.truth.Script;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** {@code DedupJob}: each order once. */
final class DedupUnderTest extends OneInputJob {
    private static final String INPUT = "orders";
    private static final String OUTPUT = "orders-deduplicated";

    DedupUnderTest() {
        super(
                "dedup",
                INPUT,
                "sluice-dedup-" + OUTPUT,
                true,
                Program.ofJar("io.sluice.job.dedup.DedupJob", DedupUnderTest::arguments));
    }

    private static List<String> arguments(String servers, SplittableRandom choice) {
        List<String> arguments = new ArrayList<>(Options.common(servers));
        arguments.addAll(Options.filter(choice));
        arguments.addAll(
                List.of(
                        "--input-topic=" + INPUT,
                        "--output-topic=" + OUTPUT,
                        "--id=json:/id",
                        "--within=" + Options.WINDOW.toMillis() + " ms"));
        return arguments;
    }

    @Override
    public Script script(SplittableRandom random, int perSecond) {
        return new OrderScript(INPUT, PARTITIONS, random, Options.WINDOW, perSecond);
    }

    @Override
    public boolean readsTimesThatJump() {
        return true;
    }

    @Override
    public void check(TopicReader topics, AckLog log, CheckResult verdict) throws IOException {
        FirstsCheck firsts =
                new FirstsCheck(
                        Options.WINDOW.toMillis(),
                        Options.FORGOTTEN.toMillis(),
                        Options.MAX_FPP,
                        true,
                        verdict);
        readInput(topics, log, firsts::input);
        topics.read(OUTPUT, firsts::output);
        firsts.judge();
    }
}

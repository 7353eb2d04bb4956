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

/** {@code DedupJob} with {@code --forever}, whose ids are on disk: each order once. */
final class ForeverUnderTest extends OneInputJob {
    private static final String INPUT = "forever-orders";
    private static final String OUTPUT = "forever-orders-once";

    /** Nothing is forgotten, so all times of an id are in one window. */
    private static final long FOR_EVER = Long.MAX_VALUE / 4;

    ForeverUnderTest() {
        super(
                "forever",
                INPUT,
                "sluice-dedup-" + OUTPUT,
                false,
                Program.ofJar("io.sluice.job.dedup.DedupJob", ForeverUnderTest::arguments));
    }

    private static List<String> arguments(String servers, SplittableRandom choice) {
        List<String> arguments = new ArrayList<>(Options.common(servers));
        arguments.addAll(Options.onDisk(choice));
        arguments.addAll(
                List.of(
                        "--input-topic=" + INPUT,
                        "--output-topic=" + OUTPUT,
                        "--id=json:/id",
                        "--forever"));
        return arguments;
    }

    @Override
    public Script script(SplittableRandom random, int perSecond) {
        return new OrderScript(INPUT, PARTITIONS, random, Options.WINDOW, perSecond);
    }

    @Override
    public void check(TopicReader topics, AckLog log, CheckResult verdict) throws IOException {
        FirstsCheck firsts = new FirstsCheck(FOR_EVER, FOR_EVER, Options.MAX_FPP, false, verdict);
        readInput(topics, log, firsts::input);
        topics.read(OUTPUT, firsts::output);
        firsts.judge();
    }
}

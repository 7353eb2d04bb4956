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

    /** Nothing is forgotten, so all times of an id are in one window. */
    private static final long FOR_EVER = Long.MAX_VALUE / 4;

    /** How long ids are known, and where they are. */
    enum Ids {
        IN_MEMORY("dedup", "orders", "orders-deduplicated", true),
        ON_DISK("on-disk", "disk-orders", "disk-orders-once", true),
        FOREVER("forever", "forever-orders", "forever-orders-once", false);

        private final String job;
        private final String input;
        private final String output;
        private final boolean haveAWindow;

        Ids(String job, String input, String output, boolean haveAWindow) {
            this.job = job;
            this.input = input;
            this.output = output;
            this.haveAWindow = haveAWindow;
        }

        private List<String> arguments(String servers, SplittableRandom choice) {
            List<String> arguments = new ArrayList<>(Options.common(servers));
            arguments.addAll(this == IN_MEMORY ? Options.filter(choice) : Options.onDisk(choice));
            arguments.add("--input-topic=" + input);
            arguments.add("--output-topic=" + output);
            arguments.add("--id=json:/id");
            arguments.add(
                    haveAWindow ? "--within=" + Options.WINDOW.toMillis() + " ms" : "--forever");
            if (this == ON_DISK) {
                arguments.add("--on-disk");
            }
            return arguments;
        }
    }

    private final Ids ids;

    DedupUnderTest(Ids ids) {
        super(
                ids.job,
                ids.input,
                "sluice-dedup-" + ids.output,
                ids == Ids.IN_MEMORY,
                Program.ofJar("io.sluice.job.dedup.DedupJob", ids::arguments));
        this.ids = ids;
    }

    @Override
    public Script script(SplittableRandom random, int perSecond) {
        return new OrderScript(ids.input, PARTITIONS, random, Options.WINDOW, perSecond);
    }

    @Override
    public boolean readsTimesThatJump() {
        return ids == Ids.IN_MEMORY;
    }

    @Override
    public void check(TopicReader topics, AckLog log, CheckResult verdict) throws IOException {
        FirstsCheck firsts =
                new FirstsCheck(
                        ids.haveAWindow ? Options.WINDOW.toMillis() : FOR_EVER,
                        ids.haveAWindow ? Options.FORGOTTEN.toMillis() : FOR_EVER,
                        Options.MAX_FPP,
                        ids.haveAWindow,
                        verdict);
        readInput(topics, log, firsts::input);
        topics.read(ids.output, firsts::output);
        firsts.judge();
    }
}

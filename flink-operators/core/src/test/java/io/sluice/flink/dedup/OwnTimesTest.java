/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.Criterion;
import io.sluice.filter.Occurrence;
import io.sluice.filter.Seeds;
import io.sluice.filter.Topics;
import io.sluice.flink.Backends;
import io.sluice.flink.testkit.Subtasks;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What passes is judged by the records' own times, whatever the order in which partitions are read,
 * wherever the watermark is, across restarts with another parallelism.
 */
class OwnTimesTest {

    private static final long WINDOW = Duration.ofHours(1).toMillis();
    private static final long START = 1_700_000_000_000L;
    private static final int RECORDS = 3_000;
    private static final int RUNS = 5;
    private static final int MANY_RUNS = 200;

    private final DeduplicateFixture fixture = new DeduplicateFixture();

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anyTopicIsJudgedByItsOwnTimes(boolean verified) throws Exception {
        judge(RUNS, verified);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Tag("long")
    void manyTopicsAreJudgedByTheirOwnTimes(boolean verified) throws Exception {
        judge(MANY_RUNS, verified);
    }

    private void judge(int runs, boolean verified) throws Exception {
        fixture.window = Duration.ofMillis(WINDOW);
        // With exact state no error of the filter may show.
        fixture.fpp = verified ? 0.01 : 1e-9;
        fixture.idsPerSecond = 1;
        Criterion criterion = verified ? Criterion.exact(WINDOW) : Criterion.ofFilters(WINDOW);
        for (int i = 0; i < runs; i++) {
            SplittableRandom random = new SplittableRandom(Seeds.seed(i));
            Topics topics = Topics.random(random, WINDOW, START, RECORDS);
            try {
                BitSet passed = run(topics, verified, random);
                criterion.judge(topics.arrivals(), passed).require();
            } catch (AssertionError e) {
                throw new AssertionError(Seeds.describe(Seeds.seed(i)), e);
            }
        }
    }

    private BitSet run(Topics topics, boolean verified, SplittableRandom random) throws Exception {
        Supplier<OneInputStreamOperator<Long, Long>> operator =
                verified ? fixture.verified() : fixture.filter();
        int maxParallelism = 1 + random.nextInt(60);
        Subtasks<Long, Long, Long> stream =
                DeduplicateFixture.subtasks(maxParallelism, Backends.HASHMAP);
        stream.processingTime(START + 1_000 * WINDOW);
        BitSet passed = new BitSet();
        try {
            stream.start(1 + random.nextInt(Math.min(4, maxParallelism)), operator);
            List<Occurrence> arrivals = topics.arrivals();
            long watermark = Long.MIN_VALUE;
            for (int i = 0; i < arrivals.size(); i++) {
                Occurrence next = arrivals.get(i);
                passed.set(next.number(), !stream.process(next.id(), next.time()).isEmpty());
                if (topics.watermarkAfter(i + 1) > watermark) {
                    watermark = topics.watermarkAfter(i + 1);
                    stream.watermark(watermark);
                }
                if (random.nextInt(RECORDS) == 0) {
                    stream.snapshot();
                    stream.start(1 + random.nextInt(Math.min(4, maxParallelism)), operator);
                }
            }
            assertThat(stream.counter(DeduplicateMetrics.LATE)).isZero();
            assertThat(stream.counter(DeduplicateMetrics.UNDECIDED)).isZero();
        } finally {
            stream.close();
        }
        return passed;
    }
}

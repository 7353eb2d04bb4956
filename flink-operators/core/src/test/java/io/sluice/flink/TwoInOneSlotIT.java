/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.forgetful.OverflowPolicy;
import io.sluice.flink.dedup.Deduplicate;
import io.sluice.flink.dedup.DeduplicateMetrics;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.runtime.testutils.InMemoryReporter;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Two operators with filters in one slot: each stays within its own memory. */
class TwoInOneSlotIT {

    private static final long IDS = 600_000;
    private static final double FPP = 1e-3;

    private static final InMemoryReporter REPORTER = InMemoryReporter.createWithRetainedMetrics();

    @RegisterExtension
    static final MiniClusterExtension CLUSTER =
            new MiniClusterExtension(
                    () ->
                            new MiniClusterResourceConfiguration.Builder()
                                    .setConfiguration(reported())
                                    .setNumberTaskManagers(1)
                                    .setNumberSlotsPerTaskManager(1)
                                    .build());

    private static final ConcurrentMap<String, AtomicLong> PASSED = new ConcurrentHashMap<>();

    private record Count(String uid) implements MapFunction<Long, Long> {
        @Override
        public Long map(Long value) {
            PASSED.computeIfAbsent(uid, name -> new AtomicLong()).incrementAndGet();
            return value;
        }
    }

    private static Configuration reported() {
        Configuration configuration = new Configuration();
        REPORTER.addToConfiguration(configuration);
        return configuration;
    }

    private static void deduplicate(DataStream<Long> ids, String uid, MemorySize memory) {
        Deduplicate.by((Long id) -> id)
                .uid(uid)
                .within(Duration.ofHours(1))
                .falsePositiveProbability(FPP)
                .expecting(10)
                .memory(memory)
                .onOverflow(OverflowPolicy.FORGET_OLDEST)
                .apply(ids)
                .map(new Count(uid))
                .sinkTo(new DiscardingSink<>());
    }

    private static long gauge(JobID job, String uid, String name) {
        String pattern = uid + ".*" + DeduplicateMetrics.GROUP + "." + name;
        var metrics = REPORTER.findMetrics(job, pattern);
        assertThat(metrics).as(pattern).hasSize(1);
        return (Long) ((Gauge<?>) metrics.values().iterator().next()).getValue();
    }

    @Test
    void eachKeepsToItsOwnMemoryWhileTheOtherHasTooLittle() throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.setParallelism(1);
        env.setMaxParallelism(8);
        DataStream<Long> ids =
                env.fromSequence(0, IDS - 1)
                        .assignTimestampsAndWatermarks(
                                WatermarkStrategy.<Long>forMonotonousTimestamps()
                                        .withTimestampAssigner((id, time) -> id));
        MemorySize little = MemorySize.ofMebiBytes(1);
        MemorySize plenty = MemorySize.ofMebiBytes(16);
        deduplicate(ids, "little", little);
        deduplicate(ids, "plenty", plenty);
        JobID job = env.execute().getJobID();

        assertThat(gauge(job, "little", DeduplicateMetrics.OVERFLOWS)).isPositive();
        assertThat(gauge(job, "little", DeduplicateMetrics.BYTES))
                .isBetween(little.getBytes() / 2, little.getBytes());
        assertThat(gauge(job, "plenty", DeduplicateMetrics.OVERFLOWS)).isZero();
        assertThat(gauge(job, "plenty", DeduplicateMetrics.IDS_HELD)).isGreaterThan(IDS * 99 / 100);
        assertThat(gauge(job, "plenty", DeduplicateMetrics.BYTES))
                .isBetween(little.getBytes(), plenty.getBytes());
        assertThat(PASSED.get("little").get()).isGreaterThan((long) (IDS * (1 - 10 * FPP)));
        assertThat(PASSED.get("plenty").get()).isGreaterThan((long) (IDS * (1 - 2 * FPP)));
    }
}

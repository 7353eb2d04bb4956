/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.Seeds;
import io.sluice.flink.Backends;
import io.sluice.flink.OnDuplicate;
import io.sluice.flink.runtime.SortedInputFactory;
import io.sluice.flink.testkit.Applied;
import io.sluice.flink.testkit.Subtasks;
import io.sluice.state.CascadeBackendOptions;
import io.sluice.state.CascadeStateBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.transformations.OneInputTransformation;
import org.apache.flink.util.OutputTag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each id passes once, whatever happens and however long that is. */
class ForeverTest {
    private static final OutputTag<Long> DUPLICATES = new OutputTag<>("duplicates", Types.LONG);

    /** What follows the last checkpoint is done again. */
    @ParameterizedTest
    @EnumSource(Backends.class)
    void eachIdPassesOnceThroughFailuresAndRescaling(Backends backend) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        DataStream<Long> ids = env.fromData(Types.LONG, 0L);
        Applied<Long, Long> applied =
                Applied.of(
                        Types.LONG,
                        Deduplicate.by((Long id) -> id)
                                .uid("ids")
                                .forever()
                                .onDuplicate(OnDuplicate.sideOutput(DUPLICATES))
                                .apply(ids));
        SplittableRandom random = new SplittableRandom(Seeds.seed(1));
        Subtasks<Object, Long, Long> subtasks = applied.subtasks(128, backend);
        Set<Long> known = new HashSet<>();
        List<Long> passed = new ArrayList<>();
        subtasks.start(1, applied);
        for (int epoch = 0; epoch < 12; epoch++) {
            boolean fails = epoch > 0 && random.nextInt(3) == 0;
            Set<Long> before = Set.copyOf(known);
            List<Long> inEpoch = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                long id = random.nextInt(1_000);
                // Its time is of no importance, however wild.
                List<Long> out = subtasks.process(id, random.nextLong());
                assertThat(out).isEqualTo(known.add(id) ? List.of(id) : List.of());
                inEpoch.addAll(out);
            }
            if (fails) {
                known = new HashSet<>(before);
            } else {
                passed.addAll(inEpoch);
                subtasks.snapshot();
            }
            subtasks.start(1 + random.nextInt(4), applied);
        }
        assertThat(passed).doesNotHaveDuplicates().hasSameElementsAs(known);
        subtasks.close();
    }

    /** On the cascade backend records wait for each other; what waits at a failure comes again. */
    @ParameterizedTest
    @ValueSource(ints = {1, 7, 32})
    void eachIdPassesOnceInBatches(int records) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        Applied<Long, Long> applied =
                Applied.of(
                        Types.LONG,
                        Deduplicate.by((Long id) -> id)
                                .uid("ids")
                                .forever()
                                .batch(records, Duration.ofMillis(5))
                                .onDuplicate(OnDuplicate.sideOutput(DUPLICATES))
                                .apply(env.fromData(Types.LONG, 0L)));
        SplittableRandom random = new SplittableRandom(Seeds.seed(records));
        Subtasks<Object, Long, Long> subtasks = applied.subtasks(128, ForeverTest::cascade);
        Set<Long> known = new HashSet<>();
        subtasks.start(1, applied);
        for (int epoch = 0; epoch < 12; epoch++) {
            boolean fails = epoch > 0 && random.nextInt(3) == 0;
            List<Long> expected = new ArrayList<>();
            List<Long> passed = new ArrayList<>();
            Set<Long> seen = new HashSet<>(known);
            int duplicates = 0;
            for (int i = 0; i < 200; i++) {
                long id = random.nextInt(1_000);
                passed.addAll(subtasks.process(id, random.nextLong()));
                if (seen.add(id)) {
                    expected.add(id);
                } else {
                    duplicates++;
                }
            }
            if (!fails) {
                passed.addAll(subtasks.snapshot());
                assertThat(passed).containsExactlyInAnyOrderElementsOf(expected);
                assertThat(subtasks.counter(DeduplicateMetrics.DUPLICATES)).isEqualTo(duplicates);
                known = seen;
            }
            subtasks.start(1 + random.nextInt(4), applied);
        }
        subtasks.close();
    }

    @Test
    void aBatchIsInTheOrderInWhichItCame() throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        Applied<Long, Long> applied =
                Applied.of(
                        Types.LONG,
                        Deduplicate.by((Long id) -> id)
                                .uid("ids")
                                .forever()
                                .batch(5, Duration.ofMillis(5))
                                .apply(env.fromData(Types.LONG, 0L)));
        Subtasks<Object, Long, Long> subtasks = applied.subtasks(128, ForeverTest::cascade);
        subtasks.start(1, applied);
        assertThat(subtasks.process(3L, 0)).isEmpty();
        assertThat(subtasks.process(1L, 0)).isEmpty();
        assertThat(subtasks.process(3L, 0)).isEmpty();
        assertThat(subtasks.process(2L, 0)).isEmpty();
        assertThat(subtasks.process(1L, 0)).containsExactly(3L, 1L, 2L);
        assertThat(subtasks.process(4L, 0)).isEmpty();
        assertThat(subtasks.advance(7)).as("before the watermark").containsExactly(4L);
        assertThat(subtasks.process(5L, 0)).isEmpty();
        assertThat(subtasks.endInput()).containsExactly(5L);
        subtasks.close();
    }

    /** Even if the job lets the probability of its own backend rise. */
    @Test
    void onDiskTheOldestIdsGiveWayAndNotTheProbability() {
        Configuration options =
                onDisk(
                        Deduplicate.by((Long id) -> id)
                                .uid("ids")
                                .forever()
                                .falsePositiveProbability(1e-4)
                                .memory(MemorySize.ofMebiBytes(64)));
        assertThat(options.get(CascadeBackendOptions.OVERFLOW_POLICY)).isEqualTo("forget-oldest");
        assertThat(options.get(CascadeBackendOptions.FALSE_POSITIVE_PROBABILITY)).isEqualTo(1e-4);
        assertThat(options.get(CascadeBackendOptions.USE_MANAGED_MEMORY)).isFalse();
        assertThat(options.get(CascadeBackendOptions.FIXED_MEMORY))
                .isEqualTo(MemorySize.ofMebiBytes(64));
    }

    @Test
    void onDiskTheProbabilityMayBeSaidByItsCost() {
        assertThat(
                        onDisk(
                                        Deduplicate.by((Long id) -> id)
                                                .uid("ids")
                                                .forever()
                                                .maxMissedPerDay(0.1)
                                                .expecting(10_000))
                                .get(CascadeBackendOptions.FALSE_POSITIVE_PROBABILITY))
                .isEqualTo(0.1 / (86_400L * 10_000));
    }

    private static Configuration onDisk(Deduplicate<Long, Long> deduplicate) {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        var applied = deduplicate.onDisk().apply(env.fromData(Types.LONG, 0L));
        var transformation = (OneInputTransformation<?, ?>) applied.getTransformation();
        var factory = (SortedInputFactory<?, ?>) transformation.getOperatorFactory();
        return Configuration.fromMap(factory.backend().options());
    }

    private static StateBackend cascade() {
        return new CascadeStateBackend(new HashMapStateBackend())
                .configure(new Configuration(), ForeverTest.class.getClassLoader());
    }
}

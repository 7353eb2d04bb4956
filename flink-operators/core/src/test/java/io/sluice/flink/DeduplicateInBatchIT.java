/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink;

import static io.sluice.flink.dedup.Keep.LAST;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.flink.dedup.Deduplicate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.util.OutputTag;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Deduplication of a bounded input that Flink sorts by id. */
class DeduplicateInBatchIT {

    private static final long WINDOW = 1_000;

    /** So large that a filter would certainly drop some of the ids. */
    private static final double FPP = 0.01;

    @RegisterExtension
    static final MiniClusterExtension CLUSTER =
            new MiniClusterExtension(
                    new MiniClusterResourceConfiguration.Builder()
                            .setNumberTaskManagers(1)
                            .setNumberSlotsPerTaskManager(2)
                            .build());

    private static final Queue<Long> PASSED = new ConcurrentLinkedQueue<>();
    private static final Queue<Long> DIVERTED = new ConcurrentLinkedQueue<>();

    private static final class Keep implements MapFunction<Long, Long> {
        private final boolean passed;

        Keep(boolean passed) {
            this.passed = passed;
        }

        @Override
        public Long map(Long value) {
            (passed ? PASSED : DIVERTED).add(value);
            return value;
        }
    }

    @BeforeEach
    void forgetWhatPassed() {
        PASSED.clear();
        DIVERTED.clear();
    }

    private static StreamExecutionEnvironment batch() {
        return batch(new Configuration());
    }

    private static StreamExecutionEnvironment batch(Configuration configuration) {
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        env.setRuntimeMode(RuntimeExecutionMode.BATCH);
        env.setParallelism(2);
        return env;
    }

    private static <K> Deduplicate<Long, K> inWindow(
            Deduplicate<Long, K> deduplicate, TimeDomain time) {
        return deduplicate
                .uid("once")
                .within(Duration.ofMillis(WINDOW))
                .timeDomain(time)
                .falsePositiveProbability(FPP);
    }

    private static List<Long> passed(DataStream<Long> stream) throws Exception {
        stream.map(new Keep(true)).sinkTo(new DiscardingSink<>());
        stream.getExecutionEnvironment().execute();
        return new ArrayList<>(PASSED);
    }

    /** The number itself identifies a record; several have the same remainder, which is the id. */
    private static List<Long> remainders(List<Long> records, long ids) {
        return records.stream().map(record -> record % ids).sorted().toList();
    }

    private static List<Long> below(long end) {
        return LongStream.range(0, end).boxed().toList();
    }

    @Test
    void everyDistinctIdPassesExactlyOnceInProcessingTime() throws Exception {
        long ids = 100_000;
        List<Long> passed =
                passed(
                        inWindow(Deduplicate.by((Long n) -> n % ids), TimeDomain.PROCESSING)
                                .apply(batch().fromSequence(0, 2 * ids - 1)));
        assertThat(remainders(passed, ids)).isEqualTo(below(ids));
    }

    @Test
    void everyDistinctIdPassesExactlyOnceInEventTimeWhateverTheOrderOfTimes() throws Exception {
        long ids = 100_000;
        // The two records of an id are of one time, the ids spread over 100 windows.
        DataStream<Long> records =
                batch().fromSequence(0, 2 * ids - 1)
                        .assignTimestampsAndWatermarks(
                                WatermarkStrategy.<Long>forMonotonousTimestamps()
                                        .withTimestampAssigner((n, old) -> n % ids));
        List<Long> passed =
                passed(
                        inWindow(Deduplicate.by((Long n) -> n % ids), TimeDomain.EVENT)
                                .apply(records));
        assertThat(remainders(passed, ids)).isEqualTo(below(ids));
    }

    /** Of each id three records, with the contents 0, 0 and 1 in the order of their times. */
    @Test
    void conflictsAreFoundExactly() throws Exception {
        long ids = 10_000;
        OutputTag<Long> conflicts = new OutputTag<>("conflicts", Types.LONG);
        DataStream<Long> records =
                batch().fromSequence(0, 3 * ids - 1)
                        .assignTimestampsAndWatermarks(
                                WatermarkStrategy.<Long>forMonotonousTimestamps()
                                        .withTimestampAssigner((n, old) -> n / ids));
        SingleOutputStreamOperator<Long> once =
                inWindow(Deduplicate.by((Long n) -> n % ids), TimeDomain.EVENT)
                        .onConflict(OnConflict.sideOutput(n -> n / ids / 2, conflicts))
                        .apply(records);
        once.getSideOutput(conflicts).map(new Keep(false)).sinkTo(new DiscardingSink<>());
        assertThat(passed(once)).containsExactlyInAnyOrderElementsOf(below(ids));
        assertThat(DIVERTED).allMatch(n -> n >= 2 * ids);
        assertThat(remainders(List.copyOf(DIVERTED), ids)).isEqualTo(below(ids));
    }

    /** Five records per id, half a window apart; the latest come first. */
    private static DataStream<Long> halfAWindowApart(long ids) {
        return batch().fromSequence(0, 5 * ids - 1)
                .assignTimestampsAndWatermarks(
                        WatermarkStrategy.<Long>forMonotonousTimestamps()
                                .withTimestampAssigner((n, old) -> (4 - n / ids) * WINDOW / 2));
    }

    /** The first, and the fourth, which is the first beyond its window. */
    private static List<Long> firstAndFourth(long ids) {
        return LongStream.concat(LongStream.range(ids, 2 * ids), LongStream.range(4 * ids, 5 * ids))
                .boxed()
                .toList();
    }

    @Test
    void duplicatesBeyondTheWindowAreNewFirstsInEventTime() throws Exception {
        long ids = 1_000;
        List<Long> passed =
                passed(
                        inWindow(Deduplicate.by((Long n) -> n % ids), TimeDomain.EVENT)
                                .apply(halfAWindowApart(ids)));
        assertThat(passed).containsExactlyInAnyOrderElementsOf(firstAndFourth(ids));
    }

    @Test
    void verificationGoesByTheWindowToo() throws Exception {
        long ids = 1_000;
        List<Long> passed =
                passed(
                        inWindow(Deduplicate.by((Long n) -> n % ids).verify(), TimeDomain.EVENT)
                                .apply(halfAWindowApart(ids)));
        assertThat(passed).containsExactlyInAnyOrderElementsOf(firstAndFourth(ids));
    }

    @Test
    void idsInStatePassExactlyOnce() throws Exception {
        long ids = 10_000;
        List<Long> passed =
                passed(
                        inWindow(
                                        Deduplicate.by((Long n) -> n % ids).inState(),
                                        TimeDomain.PROCESSING)
                                .apply(batch().fromSequence(0, 2 * ids - 1)));
        assertThat(remainders(passed, ids)).isEqualTo(below(ids));
    }

    /** However long it takes to read them. */
    @Test
    void oneRecordOfEachIdIsTheLastInProcessingTime() throws Exception {
        long ids = 3;
        List<Long> passed =
                passed(
                        Deduplicate.by((Long n) -> n % ids)
                                .uid("once")
                                .within(Duration.ofMillis(1))
                                .timeDomain(TimeDomain.PROCESSING)
                                .keep(LAST)
                                .apply(batch().fromSequence(0, 300_000 * ids - 1)));
        assertThat(remainders(passed, ids)).isEqualTo(below(ids));
    }

    private static List<Long> passedForEver(DataStream<Long> records, long ids) throws Exception {
        List<Long> passed =
                passed(Deduplicate.by((Long n) -> n % ids).uid("once").forever().apply(records));
        return remainders(passed, ids);
    }

    @Test
    void forEverRecordsNeedNoTimestamps() throws Exception {
        long ids = 10_000;
        DataStream<Long> records = batch().fromSequence(0, 2 * ids - 1);
        assertThat(passedForEver(records, ids)).isEqualTo(below(ids));
    }

    @Test
    void forEverIdsPassExactlyOnceHoweverFarApartTheirTimesAre() throws Exception {
        long ids = 10_000;
        DataStream<Long> records =
                batch().fromSequence(0, 2 * ids - 1)
                        .assignTimestampsAndWatermarks(
                                WatermarkStrategy.<Long>forMonotonousTimestamps()
                                        .withTimestampAssigner(
                                                (n, old) ->
                                                        n < ids
                                                                ? Long.MIN_VALUE + 1
                                                                : Long.MAX_VALUE - 1));
        assertThat(passedForEver(records, ids)).isEqualTo(below(ids));
    }

    @Test
    void recordsWithoutAnIdAllPassAmongThoseOfAnIdWithTheSameKey() throws Exception {
        // 30,000 records without an id share the key of id 0; 10,000 ids have three records each.
        List<Long> passed =
                passed(
                        inWindow(
                                        Deduplicate.by(
                                                        (Long n) ->
                                                                n % 2 == 0 ? null : n / 2 % 10_000)
                                                .idType(Types.LONG)
                                                .onNullId(OnNullId.forward()),
                                        TimeDomain.PROCESSING)
                                .apply(batch().fromSequence(0, 59_999)));
        List<Long> withoutId = passed.stream().filter(n -> n % 2 == 0).sorted().toList();
        List<Long> ids =
                passed.stream().filter(n -> n % 2 != 0).map(n -> n / 2 % 10_000).sorted().toList();
        assertThat(withoutId).isEqualTo(below(30_000).stream().map(n -> 2 * n).toList());
        assertThat(ids).isEqualTo(below(10_000));
    }

    @Test
    void byteArrayIdsPassExactlyOnce() throws Exception {
        long ids = 10_000;
        List<Long> passed =
                passed(
                        inWindow(
                                        Deduplicate.by(
                                                        (Long n) ->
                                                                new byte[] {
                                                                    (byte) (n % ids),
                                                                    (byte) (n % ids >> 8)
                                                                })
                                                .idType(
                                                        PrimitiveArrayTypeInfo
                                                                .BYTE_PRIMITIVE_ARRAY_TYPE_INFO),
                                        TimeDomain.PROCESSING)
                                .apply(batch().fromSequence(0, 2 * ids - 1)));
        assertThat(remainders(passed, ids)).isEqualTo(below(ids));
    }

    @Test
    void tupleIdsPassExactlyOnce() throws Exception {
        long ids = 10_000;
        List<Long> passed =
                passed(
                        inWindow(
                                        Deduplicate.by(
                                                        (Long n) ->
                                                                Tuple2.of(
                                                                        n % ids / 100,
                                                                        "id" + n % ids % 100))
                                                .idType(Types.TUPLE(Types.LONG, Types.STRING)),
                                        TimeDomain.PROCESSING)
                                .apply(batch().fromSequence(0, 2 * ids - 1)));
        assertThat(remainders(passed, ids)).isEqualTo(below(ids));
    }

    @Test
    void duplicatesGoToTheSideOutputAndNothingIsLost() throws Exception {
        long ids = 10_000;
        OutputTag<Long> tag = new OutputTag<>("again", Types.LONG);
        var once =
                inWindow(
                                Deduplicate.by((Long n) -> n % ids)
                                        .onDuplicate(OnDuplicate.sideOutput(tag)),
                                TimeDomain.PROCESSING)
                        .apply(batch().fromSequence(0, 3 * ids - 1));
        once.getSideOutput(tag).map(new Keep(false)).sinkTo(new DiscardingSink<>());
        List<Long> passed = passed(once);
        assertThat(remainders(passed, ids)).isEqualTo(below(ids));
        assertThat(Stream.concat(passed.stream(), DIVERTED.stream()).sorted().toList())
                .isEqualTo(below(3 * ids));
    }

    @Test
    void withoutTheBatchStateBackendItDecidesAsAStreamDoes() throws Exception {
        long ids = 10_000;
        Configuration streamState = new Configuration();
        streamState.set(ExecutionOptions.USE_BATCH_STATE_BACKEND, false);
        List<Long> passed =
                passed(
                        Deduplicate.by((Long n) -> n % ids)
                                .uid("once")
                                .within(Duration.ofHours(1))
                                .timeDomain(TimeDomain.PROCESSING)
                                .falsePositiveProbability(1e-9)
                                .apply(batch(streamState).fromSequence(0, 2 * ids - 1)));
        assertThat(remainders(passed, ids)).isEqualTo(below(ids));
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.hash.Hashing;
import io.sluice.flink.OnDuplicate;
import io.sluice.flink.OnLate;
import io.sluice.flink.TimeDomain;
import io.sluice.flink.WindowedOptions;
import io.sluice.flink.runtime.HashedId;
import io.sluice.flink.runtime.IdHasher;
import io.sluice.flink.runtime.StreamKey;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.Test;

/** The builder. */
class DeduplicateTest {

    private final StreamExecutionEnvironment env =
            StreamExecutionEnvironment.getExecutionEnvironment();
    private final DataStream<Long> numbers = env.fromData(1L, 2L);

    private static Deduplicate<Long, Long> complete() {
        return Deduplicate.by((Long id) -> id).uid("numbers").within(Duration.ofMinutes(1));
    }

    @Test
    void keepsTypeAndUid() {
        SingleOutputStreamOperator<Long> once = complete().apply(numbers);
        assertThat(once.getType()).isEqualTo(Types.LONG);
        assertThat(once.getTransformation().getUid()).isEqualTo("numbers");
    }

    @Test
    void uidAndWindowAreRequired() {
        refused(Deduplicate.by((Long id) -> id).within(Duration.ofMinutes(1)), "uid is required");
        refused(complete().uid(" "), "uid is required, but is blank");
        refused(Deduplicate.by((Long id) -> id).uid("x"), "within is required");
    }

    @Test
    void optionsAreCheckedAgainstEachOther() {
        refused(complete().inState(), "inState needs timeDomain(PROCESSING)");
        refused(
                complete().timeDomain(TimeDomain.PROCESSING).inState().verify(),
                "verify and inState exclude each other");
        refused(complete().forgetDuringDowntime(), "forgetDuringDowntime needs");
        refused(complete().falsePositiveProbability(2), "falsePositiveProbability must be");
        refused(complete().limit(65), "limit must be at least 1 and at most 64, but is 65");
        refused(complete().limit(2).verify(), "limit(2) and verify exclude each other");
        refused(
                complete().timeDomain(TimeDomain.PROCESSING).inState().limit(2),
                "limit(2) and inState exclude each other");
        refused(
                complete().limit(2).resetOnDuplicate(),
                "limit(2) and resetOnDuplicate exclude each other");
        refused(
                complete().resetOnDuplicate().verify(),
                "resetOnDuplicate and verify exclude each other");
        refused(
                complete()
                        .configure(
                                Configuration.fromMap(
                                        Map.of(
                                                "sluice.deduplicate.limit", "2",
                                                "sluice.deduplicate.reset-on-duplicate", "true"))),
                "limit(2) and resetOnDuplicate exclude each other");
    }

    @Test
    void forEverThereIsNoWindowAndNothingThatNeedsOne() {
        assertThat(forever().apply(numbers).getTransformation().getUid()).isEqualTo("numbers");
        refused(complete().forever(), "within and forever exclude each other");
        refused(forever().verify(), "verify and forever exclude each other");
        refused(forever().inState(), "inState and forever exclude each other");
        refused(forever().limit(2), "limit(2) and forever exclude each other");
        refused(forever().resetOnDuplicate(), "resetOnDuplicate and forever exclude each other");
        refused(forever().keep(Keep.LAST), "keep(LAST) and forever exclude each other");
        refused(
                complete()
                        .configure(
                                Configuration.fromMap(
                                        Map.of("sluice.deduplicate.forever", "true"))),
                "within and forever exclude each other");
    }

    private static Deduplicate<Long, Long> forever() {
        return Deduplicate.by((Long id) -> id).uid("numbers").forever();
    }

    @Test
    void theLastIsKeptByOneEngineAlone() {
        assertThat(complete().keep(Keep.LAST).apply(numbers).getType()).isEqualTo(Types.LONG);
        refused(complete().keep(Keep.LAST).verify(), "keep(LAST) and verify exclude each other");
        refused(complete().keep(Keep.LAST).inState(), "keep(LAST) and inState exclude each other");
        refused(complete().keep(Keep.LAST).limit(2), "limit(2) and keep(LAST) exclude each other");
        refused(
                complete().keep(Keep.LAST).resetOnDuplicate(),
                "resetOnDuplicate and keep(LAST) exclude each other");
        refused(
                complete().keep(Keep.LAST).onDuplicate(OnDuplicate.tag(id -> -id)),
                "keep(LAST) and onDuplicate(tag(...)) exclude each other");
        refused(
                complete()
                        .verify()
                        .configure(
                                Configuration.fromMap(Map.of("sluice.deduplicate.keep", "LAST"))),
                "keep(LAST) and verify exclude each other");
    }

    @Test
    void whereNoRecordIsLateNothingIsSaidOfLateOnes() {
        refused(forever().onLate(OnLate.drop()), "onLate(...) has no effect: with forever()");
        refused(
                complete().timeDomain(TimeDomain.PROCESSING).onLate(OnLate.drop()),
                "onLate(...) has no effect: in processing time");
        refused(
                complete().timeDomain(TimeDomain.PROCESSING).inState().onLate(OnLate.drop()),
                "onLate(...) has no effect: in processing time");
    }

    @Test
    void whatIsNotOnDiskIsRefusedByName() {
        refused(complete().onDisk().inState(), "exclude each other");
        refused(forever().onDisk().verify(), "exclude each other");
        refused(forever().onDisk().limit(2), "exclude each other");
        refused(forever().onDisk().inState(), "exclude each other");
        refused(complete().keep(Keep.LAST).onDisk(), "keep(LAST) and onDisk exclude each other");
        refused(forever().onDisk().hashSeed(17), "hashSeed");
        refused(forever().onDisk().forgetDuringDowntime(), "forgetDuringDowntime");
        refused(forever().onDisk().maxFalsePositiveProbability(0.1), "exclude each other");
        refused(
                forever().onDisk().expecting(10_000).maxMissedPerDay(0.001),
                "must be at least 1.0E-11 with forever");
        refused(
                forever().onDisk().falsePositiveProbability(1e-12),
                "falsePositiveProbability must be at least 1.0E-11 with forever");
        refused(
                complete()
                        .timeDomain(TimeDomain.PROCESSING)
                        .onDisk()
                        .falsePositiveProbability(1e-12),
                "falsePositiveProbability must be at least 1.0E-11 with onDisk");
    }

    private void refused(Deduplicate<Long, Long> builder, String message) {
        assertThatThrownBy(() -> builder.apply(numbers))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }

    @Test
    void takesFlinkConfiguration() {
        Configuration configuration = new Configuration();
        configuration.set(WindowedOptions.WITHIN, Duration.ofHours(1));
        configuration.set(DeduplicateOptions.VERIFY, true);
        configuration.set(DeduplicateOptions.IN_STATE, true);
        configuration.set(WindowedOptions.TIME_DOMAIN, TimeDomain.PROCESSING);
        refused(
                Deduplicate.by((Long id) -> id).uid("x").configure(configuration),
                "verify and inState exclude each other");
    }

    @Test
    void theClockIsResetByItsKey() {
        refused(
                complete()
                        .timeDomain(TimeDomain.PROCESSING)
                        .configure(
                                Configuration.fromMap(Map.of("sluice.window.reset-clock", "true"))),
                "resetClock needs timeDomain(EVENT)");
    }

    @Test
    void batchesAreConfiguredByTheirKeys() {
        String prefix = "sluice.window.batch.";
        refused(
                complete().configure(Configuration.fromMap(Map.of(prefix + "records", "1025"))),
                "1 to 1024 records, got 1025");
        refused(
                complete().configure(Configuration.fromMap(Map.of(prefix + "delay", "0 ms"))),
                "at least 1 ms, got 0 ms");
    }

    @Test
    void allEnginesApply() {
        assertThat(complete().verify().apply(numbers).getType()).isEqualTo(Types.LONG);
        assertThat(complete().timeDomain(TimeDomain.PROCESSING).inState().apply(numbers).getType())
                .isEqualTo(Types.LONG);
    }

    @Test
    void bytesGoToTheKeyGroupThatTheOperatorExpects() throws Exception {
        IdHasher<byte[]> hasher =
                IdHasher.of(
                        PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO,
                        new SerializerConfigImpl());
        KeySelector<byte[], Object> key = new StreamKey<>(bytes -> bytes, hasher);
        HashedId hashed = new HashedId();
        Random random = new Random(1);
        for (int i = 0; i < 1000; i++) {
            byte[] bytes = new byte[random.nextInt(20)];
            random.nextBytes(bytes);
            int sent = KeyGroupRangeAssignment.assignToKeyGroup(key.getKey(bytes), 100);
            hasher.hash(bytes, hashed);
            assertThat(hashed.hash()).isEqualTo(Hashing.hash(bytes));
            int expected =
                    KeyGroupRangeAssignment.computeKeyGroupForKeyHash(hashed.keyHashCode(), 100);
            assertThat(expected).isEqualTo(sent);
        }
    }
}

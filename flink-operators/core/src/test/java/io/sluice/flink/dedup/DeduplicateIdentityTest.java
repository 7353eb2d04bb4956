/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.flink.Backends;
import io.sluice.flink.TimeDomain;
import io.sluice.flink.WindowedOptions;
import io.sluice.flink.testkit.Applied;
import io.sluice.flink.testkit.Subtasks;
import java.time.Duration;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Which ids are the same, before and after a restore with other types of ids. Records are texts.
 */
class DeduplicateIdentityTest {

    /** The engine that decides about ids. */
    enum Engine {
        FILTER,
        VERIFIED,
        IN_STATE
    }

    private static final int IDS = 100;

    private final StreamExecutionEnvironment env =
            StreamExecutionEnvironment.getExecutionEnvironment();
    private Subtasks<Object, String, String> stream;

    @AfterEach
    void close() throws Exception {
        if (stream != null) {
            stream.close();
        }
    }

    private static <K> Deduplicate<String, K> by(
            Engine engine, KeySelector<String, K> id, TypeInformation<K> type) {
        Deduplicate<String, K> builder =
                Deduplicate.by(id)
                        .idType(type)
                        .uid("x")
                        .within(Duration.ofMinutes(1))
                        .falsePositiveProbability(1e-9)
                        .timeDomain(TimeDomain.PROCESSING)
                        .batch(1, Duration.ofMillis(5));
        return switch (engine) {
            case FILTER -> builder;
            case VERIFIED -> builder.verify();
            case IN_STATE -> builder.inState();
        };
    }

    private <K> Applied<String, String> applied(Deduplicate<String, K> builder) {
        return Applied.of(Types.STRING, builder.apply(env.fromData("a")));
    }

    private static Deduplicate<String, Integer> ints(Engine engine) {
        return by(engine, Integer::valueOf, Types.INT);
    }

    private static Deduplicate<String, Long> longs(Engine engine) {
        return by(engine, Long::valueOf, Types.LONG);
    }

    private static Deduplicate<String, Tuple2<Long, Integer>> longAndInt(Engine engine) {
        return by(
                engine,
                text -> Tuple2.of(Long.valueOf(text), 1),
                Types.TUPLE(Types.LONG, Types.INT));
    }

    private static Deduplicate<String, Tuple2<Long, Long>> longAndLong(Engine engine) {
        return by(
                engine,
                text -> Tuple2.of(Long.valueOf(text), 1L),
                Types.TUPLE(Types.LONG, Types.LONG));
    }

    private void start(int parallelism, Applied<String, String> operator) throws Exception {
        var state = stream == null ? null : stream.state();
        close();
        stream = operator.subtasks(100, Backends.HASHMAP);
        stream.setState(state, lastParallelism);
        stream.start(parallelism, operator);
        lastParallelism = parallelism;
    }

    private int lastParallelism;

    private void allAreNew() throws Exception {
        for (int id = -IDS; id < IDS; id++) {
            assertThat(stream.process("" + id, 0)).containsExactly("" + id);
        }
    }

    private void allAreSeen() throws Exception {
        for (int id = -IDS; id < IDS; id++) {
            assertThat(stream.process("" + id, 0)).as("id %s", id).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    void integersThatBecomeLongsAreStillSeen(Engine engine) throws Exception {
        start(2, applied(ints(engine)));
        allAreNew();
        stream.snapshot();
        start(3, applied(longs(engine)));
        allAreSeen();
        stream.snapshot();
        start(1, applied(by(engine, Short::valueOf, Types.SHORT)));
        allAreSeen();
        stream.snapshot();
        start(1, applied(by(engine, Byte::valueOf, Types.BYTE)));
        allAreSeen();
    }

    @ParameterizedTest
    @EnumSource
    void idsOfTheSameTypeAreStillSeen(Engine engine) throws Exception {
        start(2, applied(longAndInt(engine)));
        allAreNew();
        stream.snapshot();
        start(3, applied(longAndInt(engine)));
        allAreSeen();
    }

    @ParameterizedTest
    @EnumSource
    void tuplesOfAnotherTypeAreRefusedWithBothTypes(Engine engine) throws Exception {
        start(2, applied(longAndInt(engine)));
        allAreNew();
        stream.snapshot();
        refused(
                longAndLong(engine),
                "operator under test",
                "the id was of type Java Tuple2<Long, Integer>",
                "is now of type Java Tuple2<Long, Long>",
                "new uid");
    }

    @Test
    void idsThatAreHashedDifferentlyAreRefusedWithBothTypes() throws Exception {
        start(2, applied(longs(Engine.FILTER)));
        allAreNew();
        stream.snapshot();
        refused(by(Engine.FILTER, text -> text, Types.STRING), "type Long", "now of type String");
        refused(longAndInt(Engine.FILTER), "type Long", "now of type Java Tuple2<Long, Integer>");
    }

    /** Flink refuses them, because it sees keys before operators do. */
    @ParameterizedTest
    @EnumSource(names = {"VERIFIED", "IN_STATE"})
    void keysOfExactStateThatBecomeTextAreRefused(Engine engine) throws Exception {
        start(2, applied(longs(engine)));
        allAreNew();
        stream.snapshot();
        assertThatThrownBy(() -> start(3, applied(by(engine, text -> text, Types.STRING))))
                .hasStackTraceContaining("LongSerializer")
                .hasStackTraceContaining("StringSerializer");
    }

    private void refused(Deduplicate<String, ?> builder, String... parts) {
        assertThatThrownBy(() -> start(3, applied(builder)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll(parts);
    }

    @Test
    void verificationMayStillBeSwitchedOffForAnyTypeOfId() throws Exception {
        start(2, applied(longAndInt(Engine.VERIFIED)));
        allAreNew();
        stream.snapshot();
        start(3, applied(longAndInt(Engine.FILTER)));
        allAreSeen();
    }

    /** The {@code hashCode()} of arrays and enums differs in every JVM; here, for every object. */
    @ParameterizedTest
    @EnumSource
    void idsWithArraysAreSeenWhateverTheirHashCode(Engine engine) throws Exception {
        TypeInformation<Tuple2<int[], Long>> type =
                Types.TUPLE(Types.PRIMITIVE_ARRAY(Types.INT), Types.LONG);
        KeySelector<String, Tuple2<int[], Long>> id =
                text -> Tuple2.of(new int[] {Integer.parseInt(text)}, 1L);
        start(4, applied(by(engine, id, type)));
        allAreNew();
        allAreSeen();
        stream.snapshot();
        start(3, applied(by(engine, id, type)));
        allAreSeen();
    }

    @Test
    void aHashSeedBelongsToTheState() throws Exception {
        start(2, applied(longs(Engine.FILTER).hashSeed(987654321)));
        allAreNew();
        stream.snapshot();
        start(3, applied(longs(Engine.FILTER).hashSeed(987654321)));
        allAreSeen();
    }

    @Test
    void anotherHashSeedIsRefusedByItsOptionAndNoSeedIsTold() throws Exception {
        start(2, applied(longs(Engine.FILTER).hashSeed(987654321)));
        allAreNew();
        stream.snapshot();
        assertThatThrownBy(() -> start(3, applied(longs(Engine.FILTER).hashSeed(123456789))))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll("hashSeed", "sluice.window.hash-seed", "set it back")
                .hasMessageMatching(
                        "(?s).*check value [0-9a-f]{16}, but .* check value [0-9a-f]{16}:.*")
                .satisfies(
                        e -> assertThat(e.getMessage()).doesNotContain("987654321", "123456789"));
        assertThatThrownBy(() -> start(3, applied(longs(Engine.FILTER))))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("the public seed 0");
    }

    @Test
    void theHashSeedIsConfigured() throws Exception {
        Configuration configuration = new Configuration();
        configuration.set(WindowedOptions.HASH_SEED, 42L);
        start(2, applied(longs(Engine.FILTER).configure(configuration)));
        allAreNew();
        stream.snapshot();
        start(3, applied(longs(Engine.FILTER).hashSeed(42)));
        allAreSeen();
    }

    @Test
    void exactStateKnowsNoSeed() throws Exception {
        start(2, applied(longs(Engine.IN_STATE).hashSeed(1)));
        allAreNew();
        stream.snapshot();
        start(3, applied(longs(Engine.IN_STATE).hashSeed(2)));
        allAreSeen();
    }
}

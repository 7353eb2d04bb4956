/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.counter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.flink.Backends;
import io.sluice.flink.OnLate;
import io.sluice.flink.OnNullId;
import io.sluice.flink.TimeDomain;
import io.sluice.flink.dedup.DeduplicateMetrics;
import io.sluice.flink.testkit.Applied;
import io.sluice.flink.testkit.Subtasks;
import java.time.Duration;
import java.util.List;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.OutputTag;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which counters and operations are the same. Records are a counter and an operation, or null. */
class CounterIdentityTest {

    /** An operation. */
    record Op(String counter, String id) {}

    private static final OutputTag<Op> LOST = new OutputTag<>("lost", TypeInformation.of(Op.class));

    private final StreamExecutionEnvironment env =
            StreamExecutionEnvironment.getExecutionEnvironment();
    private Subtasks<Object, Op, ?> stream;
    private int parallelism;

    @AfterEach
    void close() throws Exception {
        if (stream != null) {
            stream.close();
        }
    }

    private static <K> KeySelector<Op, K> nullable(
            KeySelector<Op, String> text, KeySelector<String, K> value) {
        return op -> {
            String read = text.getKey(op);
            return read == null ? null : value.getKey(read);
        };
    }

    private static <K, I> IdempotentCounters<Op, K> counters(
            KeySelector<String, K> counter,
            TypeInformation<K> counterType,
            KeySelector<String, I> id,
            TypeInformation<I> idType) {
        return IdempotentCounters.of(nullable(Op::counter, counter))
                .counterType(counterType)
                .operation(nullable(Op::id, id), idType)
                .uid("x")
                .within(Duration.ofMinutes(1))
                .timeDomain(TimeDomain.PROCESSING)
                .batch(1, Duration.ofMillis(5));
    }

    private static IdempotentCounters<Op, String> texts() {
        return counters(text -> text, Types.STRING, text -> text, Types.STRING);
    }

    private <K> void start(int newParallelism, IdempotentCounters<Op, K> builder) throws Exception {
        Applied<Op, CounterValue<K>> applied =
                Applied.of(
                        TypeInformation.of(Op.class),
                        builder.apply(env.fromData(new Op("a", "b"))));
        var state = stream == null ? null : stream.state();
        close();
        Subtasks<Object, Op, CounterValue<K>> next = applied.subtasks(100, Backends.HASHMAP);
        next.setState(state, parallelism);
        next.start(newParallelism, applied);
        parallelism = newParallelism;
        stream = next;
    }

    private List<Object> process(String counter, String id) throws Exception {
        return stream.process(new Op(counter, id), 0).stream()
                .map(value -> (Object) ((CounterValue<?>) value).value())
                .toList();
    }

    @Test
    void countersAndOperationsThatBecomeLongsGoOn() throws Exception {
        start(2, counters(Integer::valueOf, Types.INT, Integer::valueOf, Types.INT));
        for (int i = -50; i < 50; i++) {
            assertThat(process("" + i, "" + i)).containsExactly(1L);
        }
        stream.snapshot();
        start(3, counters(Long::valueOf, Types.LONG, Long::valueOf, Types.LONG));
        for (int i = -50; i < 50; i++) {
            assertThat(process("" + i, "" + i)).as("operation %s", i).isEmpty();
            assertThat(process("" + i, "" + (i + 1000))).as("counter %s", i).containsExactly(2L);
        }
    }

    @Test
    void countersWithoutFilterThatBecomeLongsGoOn() throws Exception {
        start(
                2,
                counters(Integer::valueOf, Types.INT, Integer::valueOf, Types.INT).withoutFilter());
        assertThat(process("-5", "1")).containsExactly(1L);
        stream.snapshot();
        start(3, counters(Long::valueOf, Types.LONG, Long::valueOf, Types.LONG).withoutFilter());
        assertThat(process("-5", "1")).containsExactly(2L);
    }

    @Test
    void countersOfAnotherTypeAreRefusedWithBothTypes() throws Exception {
        TypeInformation<Tuple2<String, Integer>> before = Types.TUPLE(Types.STRING, Types.INT);
        TypeInformation<Tuple2<String, Long>> after = Types.TUPLE(Types.STRING, Types.LONG);
        for (boolean withFilter : new boolean[] {true, false}) {
            var first = counters(text -> Tuple2.of(text, 1), before, text -> text, Types.STRING);
            var second = counters(text -> Tuple2.of(text, 1L), after, text -> text, Types.STRING);
            start(2, withFilter ? first : first.withoutFilter());
            assertThat(process("a", "1")).containsExactly(1L);
            stream.snapshot();
            assertThatThrownBy(() -> start(1, withFilter ? second : second.withoutFilter()))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContainingAll(
                            "the counter was of type Java Tuple2<String, Integer>",
                            "now of type Java Tuple2<String, Long>");
            stream = null;
        }
    }

    @Test
    void operationIdsOfAnotherTypeAreRefusedWithBothTypes() throws Exception {
        start(2, texts());
        assertThat(process("a", "1")).containsExactly(1L);
        stream.snapshot();
        assertThatThrownBy(
                        () ->
                                start(
                                        1,
                                        counters(
                                                text -> text,
                                                Types.STRING,
                                                Long::valueOf,
                                                Types.LONG)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll("the operation was of type String", "now of type Long");
    }

    @Test
    void anotherHashSeedIsRefused() throws Exception {
        start(2, texts().hashSeed(42));
        assertThat(process("a", "1")).containsExactly(1L);
        stream.snapshot();
        start(1, texts().hashSeed(42));
        assertThat(process("a", "1")).isEmpty();
        stream.snapshot();
        assertThatThrownBy(() -> start(1, texts().hashSeed(43)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("hashSeed");
    }

    @Test
    void nullCountersAndIdsFailTheJobByDefault() throws Exception {
        start(2, texts());
        assertThatThrownBy(() -> process(null, "1"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll("operator under test", "counter is null", "onNullCounter");
        assertThatThrownBy(() -> process("a", null))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll("operator under test", "operation is null", "onNullId");
    }

    @Test
    void operationsWithoutIdsAreAppliedEveryTimeIfForwarded() throws Exception {
        start(2, texts().onNullId(OnNullId.forward()));
        assertThat(process("a", null)).containsExactly(1L);
        assertThat(process("a", null)).containsExactly(2L);
        assertThat(process("a", "1")).containsExactly(3L);
        assertThat(stream.counter(DeduplicateMetrics.NULL_IDS)).isEqualTo(2);
        assertThat(stream.counter(DeduplicateMetrics.RECORDS)).isEqualTo(3);
    }

    @Test
    void operationsOnNoCounterAreDroppedOrPutAsideAndCounted() throws Exception {
        start(2, texts().onNullCounter(OnNullId.drop()));
        assertThat(process(null, "1")).isEmpty();
        assertThat(stream.counter(DeduplicateMetrics.NULL_COUNTERS)).isEqualTo(1);
        start(2, texts().withoutFilter().onNullCounter(OnNullId.sideOutput(LOST)));
        assertThat(process(null, "1")).isEmpty();
        assertThat(process("a", "1")).containsExactly(1L);
        assertThat(stream.sideOutput(LOST)).containsExactly(new Op(null, "1"));
        assertThat(stream.counter(DeduplicateMetrics.NULL_COUNTERS)).isEqualTo(1);
        assertThat(stream.counter(DeduplicateMetrics.RECORDS)).isEqualTo(2);
    }

    @Test
    void whereNoOperationIsLateNothingIsSaidOfLateOnes() {
        assertThatThrownBy(() -> start(1, texts().onLate(OnLate.drop())))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("onLate(...) has no effect: in processing time");
        assertThatThrownBy(
                        () ->
                                start(
                                        1,
                                        texts().timeDomain(TimeDomain.EVENT)
                                                .withoutFilter()
                                                .onLate(OnLate.drop())))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("onLate(...) has no effect: without the filter");
    }

    @Test
    void operationsOnNoCounterCannotBeForwarded() {
        assertThatThrownBy(() -> start(1, texts().onNullCounter(OnNullId.forward())))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("onNullCounter", "forward()", "no counter");
    }

    @Test
    void twoPhasesNeedAnIntervalAndAFilter() {
        assertThatThrownBy(() -> texts().twoPhases().apply(env.fromData(new Op("a", "b"))))
                .hasMessageContainingAll("twoPhases", "sluice.counters.two-phases", "emitEvery");
        assertThatThrownBy(
                        () ->
                                texts().twoPhases()
                                        .emitEvery(Duration.ofSeconds(1))
                                        .withoutFilter()
                                        .apply(env.fromData(new Op("a", "b"))))
                .hasMessageContainingAll("withoutFilter", "twoPhases");
        assertThatThrownBy(
                        () ->
                                texts().twoPhases()
                                        .emitEvery(Duration.ofMillis(1))
                                        .apply(env.fromData(new Op("a", "b"))))
                .hasMessageContainingAll("emitEvery must be at least 2 ms", "twoPhases");
    }

    @Test
    void settingsOfTheStreamOfTwoPhasesAreThoseOfBothOperators() {
        texts().twoPhases()
                .emitEvery(Duration.ofSeconds(1))
                .apply(env.fromData(new Op("a", "b")))
                .setParallelism(3)
                .setMaxParallelism(77)
                .setBufferTimeout(5)
                .slotSharingGroup("hot")
                .print();
        assertThat(env.getStreamGraph().getStreamNodes())
                .filteredOn(
                        node ->
                                List.of("x", "x-operations")
                                        .contains(String.valueOf(node.getTransformationUID())))
                .hasSize(2)
                .allSatisfy(
                        node -> {
                            assertThat(node.getParallelism()).isEqualTo(3);
                            assertThat(node.getMaxParallelism()).isEqualTo(77);
                            assertThat(node.getBufferTimeout()).isEqualTo(5);
                            assertThat(node.getSlotSharingGroup()).isEqualTo("hot");
                        });
    }

    @Test
    void configurationSwitchesTwoPhasesOn() {
        Configuration configuration = new Configuration();
        configuration.setString("sluice.counters.two-phases", "true");
        var values =
                texts().configure(configuration)
                        .emitEvery(Duration.ofSeconds(1))
                        .apply(env.fromData(new Op("a", "b")));
        assertThatThrownBy(() -> Applied.of(TypeInformation.of(Op.class), values))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("CounterUpdate", "Op");
    }

    @Test
    void operationsWithAnIdAreAcknowledgedWhetherTheyCountOrCounted() throws Exception {
        OutputTag<Op> counted = new OutputTag<>("counted", TypeInformation.of(Op.class));
        start(
                2,
                texts().acknowledge(counted)
                        .onNullId(OnNullId.forward())
                        .onNullCounter(OnNullId.drop()));
        Op first = new Op("a", "1");
        Op second = new Op("b", "1");
        for (Op op : List.of(first, second, first, new Op("a", null), new Op(null, "1"))) {
            stream.process(op, 0);
        }
        assertThat(stream.sideOutput(counted)).containsExactlyInAnyOrder(first, second, first);
    }
}

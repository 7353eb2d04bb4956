/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.sluice.flink.counter.IdempotentCounters;
import io.sluice.flink.counter.MissedOperation;
import io.sluice.flink.dedup.Deduplicate;
import java.time.Duration;
import java.util.Objects;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.graph.StreamNode;
import org.junit.jupiter.api.Test;

/** What replicas of counters and of deduplications exchange, and where it goes. */
class StateOfOperatorsTest {

    /** Counter, operation and amount. */
    private static final Tuple3<String, Long, Long> OPERATION = Tuple3.of("page", 7L, 3L);

    private final StreamExecutionEnvironment env =
            StreamExecutionEnvironment.createLocalEnvironment();

    private final DataStream<Tuple3<String, Long, Long>> operations =
            env.fromData(Types.TUPLE(Types.STRING, Types.LONG, Types.LONG), OPERATION);

    private DataStream<byte[]> messages() {
        env.enableCheckpointing(1000);
        return operations.map(
                operation -> new byte[0], PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO);
    }

    private static IdempotentCounters<Tuple3<String, Long, Long>, String> counters() {
        return IdempotentCounters.of((Tuple3<String, Long, Long> operation) -> operation.f0)
                .operation(operation -> operation.f1)
                .delta(operation -> operation.f2)
                .uid("counters")
                .within(Duration.ofDays(1));
    }

    private StreamNode node(String uid) {
        return env.getStreamGraph(false).getStreamNodes().stream()
                .filter(node -> Objects.equals(node.getTransformationUID(), uid))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void whatAReplicaMissedOfCountersHasWhatIsNeededToCountIt() throws Exception {
        assertThat(counters().<Long>missedOperations().getKey(OPERATION))
                .isEqualTo(new MissedOperation<>("page", 7L, 3L));
    }

    @Test
    void anOperationWithoutCounterOrIdIsNotExchanged() throws Exception {
        assertThat(counters().<Long>missedOperations().getKey(Tuple3.of(null, 7L, 3L))).isNull();
        assertThat(counters().<Long>missedOperations().getKey(Tuple3.of("page", null, 3L)))
                .isNull();
    }

    @Test
    void countersTakeWhatTheReplicaMissed() {
        IdempotentCounters<Tuple3<String, Long, Long>, String> counters = counters();
        Reconciled<Tuple3<String, Long, Long>, MissedOperation<String, Long>> agreed =
                Reconcile.<Tuple3<String, Long, Long>, String, Long>state(counters)
                        .uid("agree")
                        .replica("east")
                        .peer("west")
                        .window(Duration.ofMinutes(1))
                        .apply(operations, messages());
        counters.corrections(agreed.missed()).apply(operations).print();
        assertThat(node("counters").getInEdges()).hasSize(2);
        assertThat(node("counters").getOperatorFactory())
                .as("an operation may be older than its correction by the window")
                .extracting("operator.olderMillis")
                .isEqualTo(60_000L);
        assertThat(agreed.missed().getType())
                .isEqualTo(MissedOperation.type(Types.STRING, Types.LONG));
    }

    @Test
    void aDeduplicationTakesWhatTheReplicaMissed() {
        Deduplicate<Tuple3<String, Long, Long>, Long> deduplicate =
                Deduplicate.by((Tuple3<String, Long, Long> operation) -> operation.f1)
                        .uid("dedup")
                        .within(Duration.ofDays(1));
        Reconciled<Tuple3<String, Long, Long>, Long> agreed =
                Reconcile.state(deduplicate)
                        .uid("agree")
                        .replica("east")
                        .peer("west")
                        .window(Duration.ofMinutes(1))
                        .apply(operations, messages());
        deduplicate.alsoSeen(agreed.missed()).apply(operations).print();
        assertThat(node("dedup").getInEdges()).hasSize(2);
        assertThat(agreed.missed()).as("once").isSameAs(agreed.missed());
    }

    @Test
    void whatWasMissedHasTheTimeOfItsWindowHoweverLateItIsFound() {
        Reconciled<Tuple3<String, Long, Long>, Long> agreed =
                Reconcile.state(
                                Deduplicate.by(
                                        (Tuple3<String, Long, Long> operation) -> operation.f1))
                        .uid("agree")
                        .replica("east")
                        .peer("west")
                        .window(Duration.ofMinutes(1))
                        .apply(operations, messages());
        agreed.missed().print();
        assertThat(node("agree-missed-times").getInEdges()).hasSize(1);
        assertThat(Missing.timeOf(new Repair<>(120_000, 7L, 0, 1), Duration.ofMinutes(1)))
                .isEqualTo(179_999);
    }

    @Test
    void countersWithoutOperationsAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Reconcile.state(IdempotentCounters.of((String page) -> page)))
                .withMessageContaining("operation is required");
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.kafka.fill;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.kafka.fill.FillPhase.Filled;
import io.sluice.kafka.fill.FillPhase.Over;
import io.sluice.kafka.identity.StartedSplit;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.connector.source.ReaderInfo;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.connector.source.SplitsAssignment;
import org.apache.flink.connector.kafka.source.enumerator.KafkaSourceEnumState;
import org.apache.flink.connector.kafka.source.split.KafkaPartitionSplit;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two subtasks. */
class FillEnumeratorTest {
    private static final TopicPartition A = new TopicPartition("t", 0);
    private static final TopicPartition B = new TopicPartition("t", 1);

    private final List<Integer> goOn = new ArrayList<>();
    private final List<KafkaPartitionSplit> assigned = new ArrayList<>();
    private boolean discovered = true;
    private SplitEnumeratorContext<KafkaPartitionSplit> own;
    private FillEnumerator enumerator;

    @BeforeEach
    void begin() throws Exception {
        enumerator = FillEnumerator.begin(context(), fill(), this::base);
    }

    private static FillFirst<String> fill() {
        return new FillFirst<>(Map.of(A, 10L), text -> text);
    }

    @SuppressWarnings("unchecked")
    private SplitEnumeratorContext<KafkaPartitionSplit> context() {
        return proxy(
                SplitEnumeratorContext.class,
                (proxy, method, arguments) ->
                        switch (method.getName()) {
                            case "currentParallelism" -> 2;
                            case "registeredReaders" ->
                                    Map.of(0, new ReaderInfo(0, ""), 1, new ReaderInfo(1, ""));
                            case "sendEventToSourceReader" -> {
                                assertThat(arguments[1]).isEqualTo(new Over());
                                goOn.add((Integer) arguments[0]);
                                yield null;
                            }
                            case "assignSplits" -> {
                                ((SplitsAssignment<KafkaPartitionSplit>) arguments[0])
                                        .assignment()
                                        .values()
                                        .forEach(assigned::addAll);
                                yield null;
                            }
                            default -> throw new AssertionError(method);
                        });
    }

    private SplitEnumerator<KafkaPartitionSplit, KafkaSourceEnumState> base(
            SplitEnumeratorContext<KafkaPartitionSplit> context) {
        own = context;
        return proxy(
                SplitEnumerator.class,
                (proxy, method, arguments) ->
                        method.getName().equals("snapshotState")
                                ? new KafkaSourceEnumState(List.of(), List.of(), discovered)
                                : null);
    }

    @SuppressWarnings("unchecked")
    private static <T> T proxy(Class<? super T> type, InvocationHandler handler) {
        return (T) Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler);
    }

    private void checkpoint(long id) throws Exception {
        enumerator.snapshotState(id);
        enumerator.notifyCheckpointComplete(id);
    }

    @Test
    void allGoOnWhenACheckpointCompletesThatBeganAfterAllWereFilled() throws Exception {
        enumerator.handleSourceEvent(0, new Filled(1, true));
        enumerator.snapshotState(1);
        enumerator.handleSourceEvent(1, new Filled(1, false));
        enumerator.notifyCheckpointComplete(1);
        assertThat(goOn).as("it may lack what was on its way").isEmpty();

        enumerator.snapshotState(2);
        enumerator.notifyCheckpointAborted(2);
        assertThat(goOn).isEmpty();
        checkpoint(3);
        assertThat(goOn).containsExactlyInAnyOrder(0, 1);
    }

    @Test
    void allGoOnAtOnceIfNothingWasRead() {
        enumerator.handleSourceEvent(0, new Filled(1, false));
        assertThat(goOn).isEmpty();
        enumerator.handleSourceEvent(1, new Filled(1, false));
        assertThat(goOn).containsExactlyInAnyOrder(0, 1);
    }

    @Test
    void noneGoesOnBeforeThePartitionsAreKnownAndReceived() {
        discovered = false;
        enumerator.handleSourceEvent(0, new Filled(0, false));
        enumerator.handleSourceEvent(1, new Filled(0, false));
        discovered = true;
        own.assignSplits(
                new SplitsAssignment<>(
                        Map.of(
                                0, List.of(new KafkaPartitionSplit(A, 0)),
                                1, List.of(new KafkaPartitionSplit(B, 0)))));
        enumerator.handleSourceEvent(1, new Filled(1, false));
        assertThat(goOn).isEmpty();
        enumerator.handleSourceEvent(0, new Filled(1, false));
        assertThat(goOn).hasSize(2);
    }

    @Test
    void aSubtaskThatFailsMeanwhileIsWaitedForAgain() throws Exception {
        enumerator.handleSourceEvent(0, new Filled(1, true));
        enumerator.handleSourceEvent(1, new Filled(1, true));
        enumerator.snapshotState(1);
        enumerator.addReader(1);
        enumerator.notifyCheckpointComplete(1);
        assertThat(goOn).isEmpty();
        enumerator.handleSourceEvent(1, new Filled(1, true));
        checkpoint(2);
        assertThat(goOn).hasSize(2);
        enumerator.addReader(0);
        enumerator.handleSourceEvent(0, new Filled(1, false));
        assertThat(goOn).as("it is told that it is over").hasSize(3).endsWith(0);
    }

    @Test
    void partitionsOfANewJobHaveTheirStartsAndThoseThatComeLaterHaveNone() throws Exception {
        KafkaPartitionSplit split = new KafkaPartitionSplit(A, 0);
        own.assignSplits(new SplitsAssignment<>(Map.of(0, List.of(split))));
        assertThat(assigned).containsExactly(new StartedSplit(split, 10));
        assigned.clear();

        enumerator = FillEnumerator.restore(context(), fill(), this::base);
        own.assignSplits(new SplitsAssignment<>(Map.of(0, List.of(split))));
        assertThat(assigned)
                .containsExactly(split)
                .doesNotHaveAnyElementsOfTypes(StartedSplit.class);
    }
}

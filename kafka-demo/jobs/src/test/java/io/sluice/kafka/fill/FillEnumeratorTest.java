/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.kafka.fill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

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
import org.apache.flink.connector.kafka.source.enumerator.KafkaSourceEnumStateSerializer;
import org.apache.flink.connector.kafka.source.split.KafkaPartitionSplit;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two subtasks. */
class FillEnumeratorTest {
    private static final TopicPartition A = new TopicPartition("t", 0);
    private static final TopicPartition B = new TopicPartition("t", 1);

    /** Of the topic. */
    private static final Uuid ID = Uuid.randomUuid();

    private final List<Integer> goOn = new ArrayList<>();
    private final List<KafkaPartitionSplit> assigned = new ArrayList<>();
    private boolean discovered = true;
    private List<KafkaPartitionSplit> known = List.of();
    private SplitEnumeratorContext<KafkaPartitionSplit> own;
    private FillEnumerator enumerator;

    @BeforeEach
    void begin() throws Exception {
        enumerator = FillEnumerator.begin(context(), fill(), this::base);
    }

    private static FillFirst<String> fill() {
        return new FillFirst<>(Map.of(A, 10L), "only", text -> text);
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
                                ? new KafkaSourceEnumState(known, List.of(), discovered)
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

    /** It has been read before, or has only what the job wrote since it began. */
    @Test
    void aPartitionOfATopicThatIsOnlyRememberedIsNotAssignedWithoutAStart() {
        TopicPartition only = new TopicPartition("only", 0);
        own.assignSplits(
                new SplitsAssignment<>(
                        Map.of(
                                0,
                                List.of(
                                        new KafkaPartitionSplit(only, 0),
                                        new KafkaPartitionSplit(B, 0)))));
        assertThat(assigned).containsExactly(new KafkaPartitionSplit(B, 0));
        enumerator.handleSourceEvent(0, new Filled(1, false));
        enumerator.handleSourceEvent(1, new Filled(0, false));
        assertThat(goOn).as("one was assigned").hasSize(2);
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
        known = List.of(split);

        restore(ID);
        own.assignSplits(new SplitsAssignment<>(Map.of(0, List.of(split))));
        assertThat(assigned)
                .containsExactly(split)
                .doesNotHaveAnyElementsOfTypes(StartedSplit.class);
    }

    /** What they are at the restore may be further on. */
    @Test
    void whatACheckpointHasNotAssignedHasTheStartsOfTheBeginningAfterARestore() throws Exception {
        restore(ID);
        restore(ID);
        KafkaPartitionSplit split = new KafkaPartitionSplit(A, 0);
        own.assignSplits(new SplitsAssignment<>(Map.of(0, List.of(split))));
        assertThat(assigned).containsExactly(new StartedSplit(split, 10));
    }

    @Test
    void whatComesBackFromASubtaskKeepsItsStartThroughACheckpoint() throws Exception {
        KafkaPartitionSplit split = new KafkaPartitionSplit(B, 0);
        enumerator.addSplitsBack(List.of(new StartedSplit(split, 7)), 1);
        restore(ID);
        own.assignSplits(new SplitsAssignment<>(Map.of(1, List.of(split))));
        assertThat(assigned).containsExactly(new StartedSplit(split, 7));
    }

    @Test
    void aTopicThatWasMadeAnewHasNoStarts() throws Exception {
        restore(Uuid.randomUuid());
        KafkaPartitionSplit split = new KafkaPartitionSplit(A, 0);
        own.assignSplits(new SplitsAssignment<>(Map.of(0, List.of(split))));
        assertThat(assigned).doesNotHaveAnyElementsOfTypes(StartedSplit.class);
    }

    @Test
    void aStateOfAnotherVersionIsRefused() {
        assertThatIOException()
                .isThrownBy(() -> serializer(ID).deserialize(3, new byte[0]))
                .withMessageContainingAll("version 3", "101", "the build that wrote it");
    }

    private void restore(Uuid topicId) throws Exception {
        SimpleVersionedSerializer<KafkaSourceEnumState> before = serializer(ID);
        KafkaSourceEnumState state =
                serializer(topicId)
                        .deserialize(
                                before.getVersion(), before.serialize(enumerator.snapshotState(1)));
        enumerator = FillEnumerator.restore(context(), state, fill(), this::base);
    }

    private static SimpleVersionedSerializer<KafkaSourceEnumState> serializer(Uuid topicId) {
        return new FillStateSerializer(
                new KafkaSourceEnumStateSerializer(), () -> Map.of(A.topic(), topicId));
    }
}

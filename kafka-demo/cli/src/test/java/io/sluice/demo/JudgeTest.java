/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.capture.traffic.LoadGenerator;
import io.sluice.capture.traffic.LoadOptions;
import io.sluice.record.CounterKind;
import io.sluice.record.PacketRecord;
import io.sluice.replay.Faults;
import io.sluice.replay.PlainTruth;
import io.sluice.replay.Truth;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The judge over the results of a job that does everything right, and of one that does a single
 * thing wrong.
 */
class JudgeTest {
    private static final int OPERATIONS = 400;
    private static final int MALFORMED = 3;
    private static final long BOUND = 2;
    private static final CounterKind KIND = CounterKind.SOURCE;
    private static final Faults FAULTS =
            Faults.builder().seed(7).retryShare(0.4).dropShare(0.05).build();

    @TempDir private Path folder;
    private Path capture;
    private List<PacketRecord> operations;
    private Truth truth;
    private OperationIds duplicates;
    private OperationIds late;
    private final Map<String, Long> filtered = new HashMap<>();
    private final Map<String, Long> unfiltered = new HashMap<>();
    private boolean filter = true;
    private long deadLetters = MALFORMED;
    private Judge judge;

    /** The results of a job without a fault. */
    @BeforeEach
    void rightResults() throws IOException {
        capture = folder.resolve("capture.pcap");
        LoadGenerator.write(LoadOptions.builder(OPERATIONS).seed(3).build(), capture);
        operations = PlainTruth.operations(capture);
        truth = PlainTruth.of(operations, FAULTS, MALFORMED);
        duplicates = new OperationIds(truth.summary().firstOperationId(), OPERATIONS);
        late = new OperationIds(truth.summary().firstOperationId(), OPERATIONS);
        for (PacketRecord operation : operations) {
            int sends = FAULTS.sends(operation.operationId());
            if (sends > 0) {
                count(filtered, operation, 1);
                count(unfiltered, operation, sends);
                commit(duplicates, operation, sends - 1);
            }
        }
    }

    @Test
    void aJobThatDidEverythingRightIsNotBlamed() throws IOException {
        assertThat(complaints()).isEmpty();

        long sent = operations.stream().filter(operation -> sends(operation) > 0).count();
        long sends = operations.stream().mapToLong(JudgeTest::sends).sum();
        assertThat(sends).isGreaterThan(sent).isNotEqualTo(OPERATIONS);
        assertThat(judge.counted()).isEqualTo(sent);
        assertThat(judge.withFilter()).isEqualTo(sent);
        assertThat(judge.withoutFilter()).isEqualTo(sends);
        assertThat(judge.expectedUndercount()).isEqualTo(0.5 * filtered.size());
        assertThat(judge.falsePositives()).isZero();
        assertThat(judge.missedDuplicates()).isZero();
        assertThat(judge.wrongCounters()).isZero();
        assertThat(judge.operationsOverTime()).hasSize(2).endsWith((double) sent);
        long largest = Judge.largestCounter(truth.counters(KIND));
        assertThat(judge.watchedOverTime()).endsWith((double) filtered.get(KIND.format(largest)));
        assertThat(filtered.values())
                .allMatch(value -> value <= filtered.get(KIND.format(largest)));
    }

    @Test
    void aCountThatIsTooHigh() throws IOException {
        count(filtered, any(sends -> sends == 1), 1);

        assertThat(complaints()).containsExactly(wrong(1));
    }

    @Test
    void aCountThatIsTooLow() throws IOException {
        count(filtered, any(sends -> sends > 1), -1);

        assertThat(complaints()).containsExactly(wrong(1));
    }

    @Test
    void whatOneCounterLacksAnotherCannotMakeUpFor() throws IOException {
        PacketRecord first = any(sends -> sends == 1);
        PacketRecord other =
                operations.stream()
                        .filter(
                                operation ->
                                        sends(operation) > 0
                                                && !name(operation).equals(name(first)))
                        .findFirst()
                        .orElseThrow();
        count(filtered, first, 1);
        count(filtered, other, -1);

        assertThat(complaints()).containsExactly(wrong(2));
    }

    @Test
    void aCounterThatIsMissing() throws IOException {
        filtered.remove(name(any(sends -> sends > 0)));

        assertThat(complaints()).containsExactly(wrong(1));
    }

    @Test
    void aCounterOfAKeyThatWasNeverSent() throws IOException {
        filtered.put("192.0.2.1", 1L);

        assertThat(complaints()).containsExactly(wrong(1));
    }

    @Test
    void aCounterOfAKeyThatWasNeverSentEvenIfItIsZero() throws IOException {
        filtered.put("192.0.2.1", 0L);

        assertThat(complaints()).containsExactly(wrong(1));
    }

    @Test
    void aRetryThatIsCountedAndNotReportedAsADuplicate() throws IOException {
        PacketRecord twice = any(sends -> sends == 3);
        withoutOneDuplicateOf(twice);
        count(filtered, twice, 1);

        assertThat(complaints()).containsExactly("1 retries were counted twice");
        assertThat(judge.missedDuplicates()).isEqualTo(1);
    }

    @Test
    void aRecordThatIsLost() throws IOException {
        // Neither a duplicate nor counted: the judge takes it for counted, and the counter lacks
        // it.
        withoutOneDuplicateOf(any(sends -> sends == 2));

        assertThat(complaints()).containsExactly("1 retries were counted twice", wrong(1));
    }

    @Test
    void aDuplicateThatIsCommittedTwice() throws IOException {
        commit(duplicates, any(sends -> sends == 2), 1);

        // It looks like an operation that was never counted, but its counter has it.
        assertThat(complaints()).containsExactly(wrong(1));
    }

    @Test
    void moreDuplicatesThanSends() throws IOException {
        commit(duplicates, any(sends -> sends == 2), 3);

        assertThat(complaints()).containsExactly("2 operations came out that were never sent");
    }

    @Test
    void aDuplicateOfAnOperationThatWasNeverSent() throws IOException {
        commit(duplicates, any(sends -> sends == 0), 1);

        assertThat(complaints()).containsExactly("1 operations came out that were never sent");
    }

    @Test
    void aDuplicateWithAnIdThatNoOperationHas() throws IOException {
        duplicates.accept(operation(truth.summary().firstOperationId() - 1));
        late.accept(operation(truth.summary().firstOperationId() + OPERATIONS));

        assertThat(complaints()).containsExactly("2 operations came out that were never sent");
    }

    @Test
    void falsePositivesUpToTheBoundAreThePromise() throws IOException {
        falsePositives(BOUND);

        assertThat(complaints()).isEmpty();
        assertThat(judge.falsePositives()).isEqualTo(BOUND);
        assertThat(judge.falsePositivesOverTime()).endsWith((double) BOUND);
    }

    @Test
    void falsePositivesBeyondTheBound() throws IOException {
        falsePositives(BOUND + 1);

        assertThat(complaints()).containsExactly("3 false positives are more than the credible 2");
    }

    @Test
    void anOperationThatWasNotCountedBecauseItWasLate() throws IOException {
        PacketRecord lost = any(sends -> sends == 1);
        commit(late, lost, 1);
        count(filtered, lost, -1);

        assertThat(complaints())
                .containsExactly("1 operations were not counted because they were late");
        assertThat(judge.falsePositives()).isZero();
    }

    @Test
    void aRetryThatIsLateDoesNoHarm() throws IOException {
        PacketRecord retried = any(sends -> sends == 2);
        withoutOneDuplicateOf(retried);
        commit(late, retried, 1);

        assertThat(complaints()).isEmpty();
    }

    @Test
    void countersWithoutAFilterThatDifferFromWhatWasSent() throws IOException {
        count(unfiltered, any(sends -> sends > 0), 1);

        assertThat(complaints())
                .containsExactly("1 counters without a filter differ from the records sent");
    }

    @Test
    void countersWithoutAFilterThatAreMissingOrUnknown() throws IOException {
        unfiltered.remove(name(any(sends -> sends > 0)));
        unfiltered.put("192.0.2.1", 1L);

        assertThat(complaints())
                .containsExactly("2 counters without a filter differ from the records sent");
    }

    @Test
    void tooFewAndTooManyDeadLetters() throws IOException {
        deadLetters = MALFORMED - 1;
        assertThat(complaints())
                .containsExactly("2 dead letters were written for 3 malformed records");

        deadLetters = MALFORMED + 1;
        assertThat(complaints())
                .containsExactly("4 dead letters were written for 3 malformed records");
    }

    @Test
    void withoutAFilterEveryRetryIsCountedTwiceAndTheReasonSaysWhy() throws IOException {
        duplicates = new OperationIds(truth.summary().firstOperationId(), OPERATIONS);
        filtered.clear();
        filtered.putAll(unfiltered);
        filter = false;

        long retries = truth.summary().retriesWithinWindow();
        assertThat(complaints())
                .containsExactly(
                        retries
                                + " retries were counted twice, since the filter is switched off"
                                + " (--no-filter)");
        assertThat(judge.missedDuplicates()).isEqualTo(retries).isPositive();
    }

    @Test
    void severalFaultsAreAllNamedTheWorstFirst() throws IOException {
        falsePositives(BOUND + 1);
        filtered.put("192.0.2.1", 1L);
        deadLetters = 0;

        assertThat(complaints())
                .containsExactly(
                        wrong(1),
                        "3 false positives are more than the credible 2",
                        "0 dead letters were written for 3 malformed records");
    }

    private List<String> complaints() throws IOException {
        Timeline time =
                new Timeline(
                        truth.summary().firstTimestampMillis(),
                        truth.summary().lastTimestampMillis(),
                        2);
        judge = new Judge(KIND, truth, time);
        judge.judgeOperations(
                capture, duplicates, late, Judge.largestCounter(truth.counters(KIND)));
        judge.judgeCounters(values(filtered), values(unfiltered));
        return judge.complaints(filter, deadLetters, BOUND);
    }

    private static Map<String, CounterHistory.Value> values(Map<String, Long> counters) {
        Map<String, CounterHistory.Value> values = new HashMap<>();
        counters.forEach(
                (name, value) -> values.put(name, new CounterHistory.Value(value, 0.5, 0)));
        return values;
    }

    private static String wrong(int counters) {
        return counters + " counters differ from the truth by more than their operations";
    }

    /** The first operation whose number of sends fulfils {@code condition}. */
    private PacketRecord any(IntPredicate condition) {
        return operations.stream()
                .filter(operation -> condition.test(sends(operation)))
                .findFirst()
                .orElseThrow();
    }

    private static int sends(PacketRecord operation) {
        return FAULTS.sends(operation.operationId());
    }

    private static String name(PacketRecord operation) {
        return KIND.format(KIND.keyOf(operation));
    }

    private static void count(Map<String, Long> counters, PacketRecord operation, long times) {
        counters.merge(name(operation), times, Long::sum);
    }

    /** All sends of this many operations were taken for duplicates. */
    private void falsePositives(long count) throws IOException {
        List<PacketRecord> unlucky =
                operations.stream().filter(operation -> sends(operation) > 0).limit(count).toList();
        for (PacketRecord operation : unlucky) {
            commit(duplicates, operation, 1);
            count(filtered, operation, -1);
        }
    }

    private void withoutOneDuplicateOf(PacketRecord operation) throws IOException {
        OperationIds others = new OperationIds(truth.summary().firstOperationId(), OPERATIONS);
        for (PacketRecord each : operations) {
            int times = duplicates.count(each.operationId());
            commit(others, each, each.equals(operation) ? times - 1 : times);
        }
        duplicates = others;
    }

    private static void commit(OperationIds topic, PacketRecord operation, int times)
            throws IOException {
        for (int i = 0; i < times; i++) {
            topic.accept(operation(operation.operationId()));
        }
    }

    private static ConsumerRecord<byte[], byte[]> operation(long id) {
        byte[] json = ("{\"operation\":" + id + "}").getBytes(StandardCharsets.US_ASCII);
        return new ConsumerRecord<>("operations", 0, 0, null, json);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.kafka.pace;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.capture.TestSeed;
import io.sluice.capture.traffic.SplitMix64;
import io.sluice.kafka.pace.PartitionLags.Partition;
import io.sluice.kafka.pace.PartitionPace.Others;
import io.sluice.kafka.pace.PartitionPace.Report;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.BiConsumer;
import javax.annotation.Nullable;
import org.apache.flink.api.connector.source.ReaderInfo;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.connector.source.SplitsAssignment;
import org.apache.flink.connector.kafka.source.split.KafkaPartitionSplit;
import org.apache.flink.metrics.groups.SplitEnumeratorMetricGroup;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Subtasks that tell each other how far they are, with messages that take their time. */
class PartitionPaceTest {
    private static final long DRIFT = 1_000;
    private static final long TICK_NANOS = 100_000_000L;

    /** Records that agree on a time. */
    private static final int RECORDS = 16;

    private final SplitMix64 random = new SplitMix64(TestSeed.SEED);
    private long nanos;

    private static void reach(Partition partition, long time) {
        for (int i = 0; i < RECORDS; i++) {
            partition.reach(time);
        }
        partition.readClock();
    }

    /** A subtask that reads some partitions, and what is on the way to it. */
    private final class Subtask {
        private final List<Partition> partitions = new ArrayList<>();
        private final Map<TopicPartition, Long> ends = new HashMap<>();
        private final Deque<SourceEvent> inbox = new ArrayDeque<>();
        private final Deque<SourceEvent> outbox = new ArrayDeque<>();
        private final PartitionPace pace =
                new PartitionPace(
                        DRIFT, 0, outbox::add, partitions -> held = partitions, () -> nanos);
        private Set<TopicPartition> held = Set.of();

        void assign(int number, long end) {
            TopicPartition name = new TopicPartition("t", number);
            partitions.add(new Partition(name, 0));
            ends.put(name, end);
            pace.assigned(1);
            pace.settle(partitions);
        }

        /** Reads on in a partition, which is removed at its end. */
        void read(Partition partition, long millis) {
            long end = ends.get(partition.name());
            long from = partition.time() == PartitionPace.UNKNOWN ? -1 : partition.time();
            if (from + millis > end) {
                partitions.remove(partition);
            } else {
                reach(partition, from + millis);
            }
            pace.settle(partitions);
        }

        List<Partition> free() {
            return partitions.stream().filter(each -> !held.contains(each.name())).toList();
        }
    }

    /** As Flink's coordinator, with what is on the way. */
    private final class Coordinator implements SplitEnumeratorContext<KafkaPartitionSplit> {
        private final List<Subtask> subtasks = new ArrayList<>();
        private final Set<Integer> registered = new HashSet<>();
        private final PaceEnumerator<KafkaPartitionSplit, String> enumerator;
        private @Nullable SplitEnumeratorContext<KafkaPartitionSplit> counting;
        private @Nullable Runnable tick;
        private int told;

        Coordinator(int parallelism) throws Exception {
            for (int i = 0; i < parallelism; i++) {
                subtasks.add(new Subtask());
            }
            enumerator = PaceEnumerator.of(this, this::base, DRIFT, () -> nanos);
            enumerator.start();
        }

        private SplitEnumerator<KafkaPartitionSplit, String> base(
                SplitEnumeratorContext<KafkaPartitionSplit> context) {
            counting = context;
            return new Nothing();
        }

        void start(int subtask) {
            registered.add(subtask);
            enumerator.addReader(subtask);
            Subtask started = subtasks.get(subtask);
            started.pace.settle(started.partitions);
        }

        /** Delivers a message of this subtask, and one to it. */
        void deliver(int subtask) {
            Subtask at = subtasks.get(subtask);
            if (!at.outbox.isEmpty()) {
                enumerator.handleSourceEvent(subtask, at.outbox.remove());
            }
            if (!at.inbox.isEmpty()) {
                at.pace.told((Others) at.inbox.remove());
                at.pace.settle(at.partitions);
            }
        }

        /** Time goes on for all until nobody has news. */
        void deliverAll() {
            for (int quiet = 0; quiet < 3; quiet++) {
                nanos += TICK_NANOS;
                requireNonNull(tick).run();
                for (int i = 0; i < subtasks.size(); i++) {
                    if (registered.contains(i)) {
                        subtasks.get(i).pace.settle(subtasks.get(i).partitions);
                    }
                }
                while (subtasks.stream().anyMatch(s -> !s.inbox.isEmpty() || !s.outbox.isEmpty())) {
                    for (int i = 0; i < subtasks.size(); i++) {
                        deliver(i);
                    }
                    quiet = 0;
                }
            }
        }

        void assign(int subtask, int number, long end) {
            counting.assignSplit(
                    new KafkaPartitionSplit(new TopicPartition("t", number), 0), subtask);
            subtasks.get(subtask).assign(number, end);
        }

        @Override
        public void sendEventToSourceReader(int subtask, SourceEvent event) {
            assertThat(registered).contains(subtask);
            subtasks.get(subtask).inbox.add(event);
            told++;
        }

        @Override
        public int currentParallelism() {
            return subtasks.size();
        }

        @Override
        public Map<Integer, ReaderInfo> registeredReaders() {
            Map<Integer, ReaderInfo> readers = new HashMap<>();
            registered.forEach(each -> readers.put(each, new ReaderInfo(each, "here")));
            return readers;
        }

        @Override
        public void assignSplits(SplitsAssignment<KafkaPartitionSplit> assignment) {}

        @Override
        public SplitEnumeratorMetricGroup metricGroup() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void signalNoMoreSplits(int subtask) {}

        @Override
        public <T> void callAsync(Callable<T> callable, BiConsumer<T, Throwable> handler) {
            throw new UnsupportedOperationException();
        }

        @Override
        public <T> void callAsync(
                Callable<T> callable,
                BiConsumer<T, Throwable> handler,
                long initialDelay,
                long period) {
            tick = () -> handler.accept(null, null);
        }

        @Override
        public void runInCoordinatorThread(Runnable runnable) {
            runnable.run();
        }
    }

    private static final class Nothing implements SplitEnumerator<KafkaPartitionSplit, String> {
        @Override
        public void start() {}

        @Override
        public void handleSplitRequest(int subtask, @Nullable String host) {}

        @Override
        public void addSplitsBack(List<KafkaPartitionSplit> splits, int subtask) {}

        @Override
        public void addReader(int subtask) {}

        @Override
        public String snapshotState(long checkpointId) {
            return "";
        }

        @Override
        public void close() throws IOException {}
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5})
    void noneIsFurtherAheadThanTheDriftAndThereIsAlwaysOneThatGoesOn(int parallelism)
            throws Exception {
        for (int run = 0; run < 200; run++) {
            Coordinator coordinator = new Coordinator(parallelism);
            for (int i = 0; i < parallelism; i++) {
                coordinator.start(i);
            }
            int partitions = 1 + below(7);
            for (int p = 0; p < partitions; p++) {
                coordinator.assign(below(parallelism), p, below(4) == 0 ? 0 : below(50_000));
            }
            readToTheEnd(coordinator);
        }
    }

    private void readToTheEnd(Coordinator coordinator) {
        List<Subtask> subtasks = coordinator.subtasks;
        while (subtasks.stream().anyMatch(each -> !each.partitions.isEmpty())) {
            int at = below(subtasks.size());
            nanos += below(2_000_000);
            if (below(50) == 0) {
                requireNonNull(coordinator.tick).run();
            }
            if (below(3) == 0) {
                coordinator.deliver(at);
            }
            List<Partition> free = subtasks.get(at).free();
            if (!free.isEmpty()) {
                Partition partition = free.get(below(free.size()));
                long others = least(subtasks, partition);
                // A step is what is fetched already when a partition is held.
                subtasks.get(at).read(partition, 1 + below(100));
                assertThat(Math.max(0, partition.time()) - others)
                        .as("ahead of the last")
                        .isLessThanOrEqualTo(DRIFT + 100);
            } else if (subtasks.stream().allMatch(each -> each.free().isEmpty())) {
                coordinator.deliverAll();
                assertThat(subtasks)
                        .as("when all that was told has been heard")
                        .anyMatch(each -> each.partitions.isEmpty() || !each.free().isEmpty());
                assertThat(
                                subtasks.stream().allMatch(each -> each.partitions.isEmpty())
                                        || subtasks.stream()
                                                .anyMatch(each -> !each.free().isEmpty()))
                        .as("one goes on")
                        .isTrue();
            }
        }
    }

    private static long least(List<Subtask> subtasks, Partition but) {
        long least = Long.MAX_VALUE / 2;
        for (Subtask subtask : subtasks) {
            for (Partition partition : subtask.partitions) {
                if (partition != but) {
                    // The first record of each may be read at any time.
                    least = Math.min(least, Math.max(0, partition.time()));
                }
            }
        }
        return least;
    }

    /** Each reads a partition that does not end here. */
    private Coordinator started(int subtasks) throws Exception {
        Coordinator coordinator = new Coordinator(subtasks);
        for (int i = 0; i < subtasks; i++) {
            coordinator.start(i);
            coordinator.assign(i, i, 100_000_000);
        }
        return coordinator;
    }

    private int below(int bound) {
        return (int) Math.floorMod(random.nextLong(), (long) bound);
    }

    @Test
    void oneThatHasNotStartedIsWaitedForAndOneWithoutPartitionsIsNot() throws Exception {
        Coordinator coordinator = new Coordinator(3);
        Subtask reading = coordinator.subtasks.get(0);
        coordinator.start(0);
        coordinator.assign(0, 0, 100_000);
        coordinator.start(1);
        reading.read(reading.partitions.get(0), 5_000);
        coordinator.deliverAll();
        assertThat(reading.held).as("the third has said nothing").hasSize(1);

        coordinator.assign(2, 1, 100_000);
        coordinator.start(2);
        coordinator.deliverAll();
        assertThat(reading.held).as("it has not read anything").hasSize(1);

        Subtask slow = coordinator.subtasks.get(2);
        slow.read(slow.partitions.get(0), 4_500);
        coordinator.deliverAll();
        assertThat(reading.held).isEmpty();
    }

    @Test
    void oneThatStartsAnewIsWaitedForAgain() throws Exception {
        Coordinator coordinator = started(2);
        Subtask reading = coordinator.subtasks.get(0);
        for (Subtask each : coordinator.subtasks) {
            each.read(each.partitions.get(0), 5_000);
        }
        coordinator.deliverAll();
        assertThat(reading.held).isEmpty();

        coordinator.subtasks.set(1, new Subtask());
        coordinator.enumerator.addSplitsBack(List.of(), 1);
        coordinator.start(1);
        coordinator.assign(1, 1, 100_000);
        reading.read(reading.partitions.get(0), 2_000);
        coordinator.deliverAll();

        assertThat(reading.held).hasSize(1);
    }

    @Test
    void whatIsAssignedLaterIsWaitedForBeforeItsReaderKnowsOfIt() throws Exception {
        Coordinator coordinator = new Coordinator(2);
        coordinator.start(0);
        coordinator.start(1);
        coordinator.assign(0, 0, 100_000);
        Subtask reading = coordinator.subtasks.get(0);
        reading.read(reading.partitions.get(0), 5_000);
        coordinator.deliverAll();
        assertThat(reading.held).isEmpty();

        coordinator.counting.assignSplit(new KafkaPartitionSplit(new TopicPartition("t", 1), 0), 1);
        reading.read(reading.partitions.get(0), 500);
        coordinator.deliverAll();

        assertThat(reading.held).hasSize(1);
    }

    @Test
    void aPartitionThatWasReadToItsEndHoldsNoOther() {
        List<Set<TopicPartition>> held = new ArrayList<>();
        List<Report> told = new ArrayList<>();
        PartitionPace pace = new PartitionPace(DRIFT, 0, told::add, held::add, () -> nanos);
        pace.told(new Others(PartitionPace.NONE, PartitionPace.UNKNOWN));
        Partition ahead = new Partition(new TopicPartition("t", 0), 0);
        Partition silent = new Partition(new TopicPartition("t", 1), 0);
        reach(ahead, 50_000);
        reach(silent, 1_000);
        pace.settle(List.of(ahead, silent));
        assertThat(held.get(0)).containsExactly(ahead.name());
        assertThat(pace.mayHoldOthers(silent)).isTrue();
        assertThat(pace.mayHoldOthers(ahead)).isFalse();

        silent.endedAt(0);
        pace.settle(List.of(ahead, silent));

        assertThat(held.get(1)).isEmpty();
        assertThat(told).last().isEqualTo(new Report(0, false, 50_000, 50_000));
        silent.endedAt(10);
        pace.settle(List.of(ahead, silent));
        assertThat(held.get(2)).as("there is more").containsExactly(ahead.name());
    }

    @Test
    void oneThatIsHeldIsReportedThoughItWasReadToItsEndBefore() {
        List<Report> told = new ArrayList<>();
        PartitionPace pace = new PartitionPace(DRIFT, 0, told::add, unused -> {}, () -> nanos);
        pace.told(new Others(1_000, 50_000));
        Partition partition = new Partition(new TopicPartition("t", 0), 0);
        partition.endedAt(0);
        reach(partition, 1_500);
        pace.settle(List.of(partition));
        assertThat(told).last().isEqualTo(new Report(0, false, PartitionPace.NONE, 1_500));

        reach(partition, 50_000);
        pace.settle(List.of(partition));

        assertThat(told)
                .as("who has nothing to wait for would not be told to go on")
                .last()
                .isEqualTo(new Report(0, true, 50_000, 50_000));
    }

    @Test
    void oneThatWasReadToItsEndHoldsOthersAgainWhenMuchMoreComes() throws Exception {
        Coordinator coordinator = started(2);
        Subtask busy = coordinator.subtasks.get(0);
        Subtask quiet = coordinator.subtasks.get(1);
        Partition partition = quiet.partitions.get(0);
        busy.read(busy.partitions.get(0), 5_000);
        quiet.read(partition, 4_500);
        partition.endedAt(0);
        quiet.pace.settle(quiet.partitions);
        coordinator.deliverAll();
        for (int i = 0; i < 100; i++) {
            busy.read(busy.partitions.get(0), 1_000);
            coordinator.deliverAll();
        }
        assertThat(busy.held).isEmpty();

        partition.read(10_000);
        quiet.read(partition, 100);
        coordinator.deliverAll();

        assertThat(busy.held).hasSize(1);
        assertThat(quiet.pace.mayHoldOthers(partition)).as("it is asked about").isTrue();
    }

    @Test
    void whereNobodyWaitsNothingIsTold() throws Exception {
        Coordinator coordinator = started(3);
        for (Subtask each : coordinator.subtasks) {
            each.read(each.partitions.get(0), 1);
        }
        coordinator.deliverAll();
        coordinator.told = 0;
        for (int i = 0; i < 1_000; i++) {
            for (Subtask each : coordinator.subtasks) {
                each.read(each.partitions.get(0), 1 + below(2));
            }
            nanos += below(1_000_000);
            coordinator.deliver(below(3));
        }
        // Each goes through the drift some times, and asks then.
        assertThat(coordinator.told).isLessThan(100);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 7, 50})
    void someRecordsWithAWrongClockAreNotTheTimeOfAPartition(int every) {
        Partition partition = new Partition(new TopicPartition("t", 0), 0);
        for (int i = 0; i < 10_000; i++) {
            partition.reach(i % every == every - 1 ? 100_000_000 + i : i);
            partition.readClock();
            if (i > 2 * RECORDS) {
                assertThat(partition.time()).isBetween(i - 2L * RECORDS, (long) i);
            }
        }
        partition.reach(-1_000_000);
        partition.readClock();
        assertThat(partition.time()).as("one of long ago").isPositive();
    }

    @Test
    void whereThereIsOneSubtaskNothingIsTold() {
        PartitionPace pace = new PartitionPace(DRIFT, 0, null, unused -> {}, () -> nanos);
        Partition ahead = new Partition(new TopicPartition("t", 0), 0);
        Partition behind = new Partition(new TopicPartition("t", 1), 0);
        reach(ahead, 50_000);
        reach(behind, 1_000);
        pace.settle(List.of(ahead, behind));
        assertThat(ahead.isHeld()).isTrue();
        assertThat(behind.isHeld()).isFalse();
    }
}

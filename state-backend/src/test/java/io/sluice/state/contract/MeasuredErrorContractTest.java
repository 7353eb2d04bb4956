/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.MeasuredError;
import io.sluice.filter.Seeds;
import io.sluice.state.CascadeBackendOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.checkpoint.SavepointType;
import org.apache.flink.runtime.state.VoidNamespace;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A state's measurement of its own error, compared with a count of all keys. */
class MeasuredErrorContractTest {
    private static final VoidNamespace NOWHERE = VoidNamespace.INSTANCE;
    private static final int MAX_PARALLELISM = 60;
    private static final long START = 1_700_000_000_000L;
    private static final long TTL = 60_000;

    /** Standard deviations allowed in a comparison with a count. */
    private static final double Z = 4;

    @TempDir Path directory;
    private KeyedJob<Long> job;

    /** What a job with exact knowledge of its keys counts. */
    private static final class Count {
        private long firsts;
        private long dropped;

        MeasuredError error() {
            return new MeasuredError(firsts, dropped);
        }
    }

    private static UnaryOperator<Configuration> with(double probability, int oneIn) {
        return configuration ->
                configuration
                        .set(CascadeBackendOptions.FALSE_POSITIVE_PROBABILITY, probability)
                        .set(CascadeBackendOptions.DELEGATE, "hashmap")
                        .set(CascadeBackendOptions.CAPACITY, 20_000L)
                        .set(CascadeBackendOptions.BUFFER_SIZE, MemorySize.parse("16kb"))
                        .set(CascadeBackendOptions.SAMPLE_ONE_IN, oneIn);
    }

    private void job(UnaryOperator<Configuration> options) throws Exception {
        job =
                new KeyedJob<>(
                        () -> StateBackends.cascade(options),
                        KeyKind.LONGS,
                        MAX_PARALLELISM,
                        directory);
        job.time().setCurrentTimestamp(START);
    }

    private static ValueStateDescriptor<Boolean> flag(long timeToLive) {
        ValueStateDescriptor<Boolean> flag = new ValueStateDescriptor<>("seen", Types.BOOLEAN);
        if (timeToLive > 0) {
            flag.enableTimeToLive(StateTtlConfig.newBuilder(Duration.ofMillis(timeToLive)).build());
        }
        return flag;
    }

    @AfterEach
    void stopJob() throws Exception {
        if (job != null) {
            job.stop();
        }
    }

    /** The values of all subtasks together, at a checkpoint that this takes. */
    private static MeasuredError measured(KeyedJob<Long> job) throws Exception {
        job.checkpoint();
        MeasuredError sum = MeasuredError.NONE;
        for (int i = 0; i < job.parallelism(); i++) {
            Gauges gauges = job.subtask(i).gauges();
            if (gauges.names().contains("cascade.state.seen.watchedFirsts")) {
                sum =
                        sum.plus(
                                new MeasuredError(
                                        (long) gauges.value("cascade.state.seen.watchedFirsts"),
                                        (long) gauges.value("cascade.state.seen.watchedDropped")));
            }
        }
        return sum;
    }

    /** Keys that never came before, each followed by its duplicate. */
    private static void addNew(Flags<Long, VoidNamespace> seen, long from, long to, Count count)
            throws Exception {
        for (long key = from; key < to; key++) {
            count.firsts++;
            count.dropped += seen.markFirst(key, NOWHERE) ? 0 : 1;
            seen.markFirst(key - from / 2, NOWHERE);
        }
    }

    private static void assertAgree(MeasuredError measured, MeasuredError counted) {
        assertThat(counted.dropped()).isPositive();
        assertThat(counted.rate()).isBetween(measured.lower(Z), measured.upper(Z));
    }

    @Test
    void whatIsMeasuredIsWhatACountSaysAtAnyParallelism() throws Exception {
        job(with(1e-2, 4));
        Flags<Long, VoidNamespace> seen = job.flags(flag(0));
        Count count = new Count();
        long end = 0;
        for (int parallelism : new int[] {1, 4, 1}) {
            job.start(parallelism);
            addNew(seen, end, end + 30_000, count);
            end += 30_000;
            MeasuredError measured = measured(job);
            assertThat((double) measured.firsts()).isBetween(end * 0.2375, end * 0.2625);
            assertAgree(measured, count.error());
        }
        job.start(3);
        job.checkpoint();
        assertThat(measured(job).firsts()).isBetween(end / 5, end / 3);
    }

    /** Every key is watched, so the measurement is the count itself. */
    @Test
    void ifEveryKeyIsWatchedWhatIsMeasuredIsTheCount() throws Exception {
        job(with(1e-2, 1));
        Flags<Long, VoidNamespace> seen = job.flags(flag(0));
        Count count = new Count();
        long end = 0;
        for (int parallelism : new int[] {1, 4, 1}) {
            job.start(parallelism);
            addNew(seen, end, end + 5_000, count);
            end += 5_000;
            assertThat(measured(job)).isEqualTo(count.error());
            // Lost with the failure, like the answers.
            addNew(seen, end, end + 500, new Count());
        }
        assertThat(count.dropped).isPositive();
    }

    @Test
    void withATimeToLiveKeysAreNewAgain() throws Exception {
        job(with(1e-2, 1));
        Flags<Long, VoidNamespace> seen = job.flags(flag(TTL));
        Count count = new Count();
        long now = START;
        for (int parallelism : new int[] {1, 4, 1, 2}) {
            job.start(parallelism);
            for (int round = 0; round < 2; round++) {
                addNew(seen, 0, 4_000, count);
                now += TTL / 2;
                job.time().setCurrentTimestamp(now);
                for (long key = 0; key < 4_000; key++) {
                    seen.isMarked(key, NOWHERE);
                }
                now += TTL / 2 + TTL / 8;
                job.time().setCurrentTimestamp(now);
            }
            assertThat(measured(job)).isEqualTo(count.error());
        }
        assertThat(count.dropped).isPositive();
    }

    @Test
    void marksClearsAndFlagsThatMoveInDoNotCount() throws Exception {
        job =
                new KeyedJob<>(
                        StateBackends.ROCKSDB::create, KeyKind.LONGS, MAX_PARALLELISM, directory);
        job.start(2);
        StateContract.mark(job.flags(flag(0)), 0, 1000);
        job.checkpoint(SavepointType.savepoint(SavepointFormatType.CANONICAL));
        job.changeBackend(() -> StateBackends.cascade(with(1e-9, 1)));
        job.start(3);
        Flags<Long, VoidNamespace> seen = job.flags(flag(0));
        StateContract.mark(seen, 1000, 2000);
        for (long key = 2000; key < 3000; key++) {
            seen.clear(key, NOWHERE);
        }
        for (long key = 0; key < 4000; key++) {
            assertThat(seen.isMarked(key, NOWHERE)).isEqualTo(key < 2000);
        }
        for (long key = 3000; key < 4000; key++) {
            seen.mark(key, NOWHERE);
            seen.clear(key, NOWHERE);
            seen.isMarked(key, NOWHERE);
        }
        assertThat(measured(job)).isEqualTo(new MeasuredError(1000, 0));
    }

    /** A key counts separately in each namespace. */
    @Test
    void namespacesAreToldApart() throws Exception {
        job(with(1e-9, 1));
        job.start(2);
        Flags<Long, String> seen = job.flags(flag(0), StringSerializer.INSTANCE);
        for (String namespace : new String[] {"one", "two", "one"}) {
            for (long key = 0; key < 1000; key++) {
                seen.markFirst(key, namespace);
            }
        }
        assertThat(measured(job)).isEqualTo(new MeasuredError(2000, 0));
    }

    @Test
    void keysThatWereNotWatchedDoNotCount() throws Exception {
        job(with(1e-2, 0));
        job.start(2);
        Flags<Long, VoidNamespace> seen = job.flags(flag(0));
        StateContract.mark(seen, 0, 3000);
        assertThat(measured(job)).isEqualTo(MeasuredError.NONE);
        job.changeBackend(() -> StateBackends.cascade(with(1e-2, 1)));
        for (int parallelism : new int[] {1, 3}) {
            job.start(parallelism);
            addNew(seen, 0, 6000, new Count());
            assertThat(measured(job)).isEqualTo(MeasuredError.NONE);
        }
    }

    @Test
    void keysThatWereNotWatchedCountOnceTheyHaveExpired() throws Exception {
        job(with(1e-2, 0));
        job.start(2);
        Flags<Long, VoidNamespace> seen = job.flags(flag(TTL));
        StateContract.mark(seen, 0, 3000);
        job.checkpoint();
        job.changeBackend(() -> StateBackends.cascade(with(1e-2, 1)));
        job.start(1);
        addNew(seen, 0, 3000, new Count());
        assertThat(measured(job)).isEqualTo(MeasuredError.NONE);
        job.start(3);
        job.time().setCurrentTimestamp(START + TTL + TTL / 8);
        Count count = new Count();
        addNew(seen, 0, 3000, count);
        assertThat(measured(job)).isEqualTo(count.error());
    }

    @Test
    void aSampleThatHasNotChangedIsNotWrittenAgain() throws Exception {
        job(with(1e-3, 1));
        Flags<Long, VoidNamespace> seen = job.flags(flag(0));
        job.start(2);
        Count count = new Count();
        addNew(seen, 0, 3000, count);
        long all = job.checkpoint().newBytes();
        assertThat(all).isGreaterThan(3000 * 16);
        assertThat(job.checkpoint().newBytes()).as("idle").isLessThan(3000);
        addNew(seen, 3000, 3001, count);
        assertThat(job.checkpoint().newBytes())
                .as("of one subtask")
                .isBetween(12_000L, all - 12_000);
        job.start(1);
        assertThat(measured(job)).isEqualTo(count.error());
    }

    /** The clock of before is not believed any more, so all keys begin to live at the restore. */
    @Test
    void aWallClockThatIsPutBackMakesNoKeyNew() throws Exception {
        job(with(1e-9, 0));
        Flags<Long, VoidNamespace> seen = job.flags(flag(TTL));
        job.time().setCurrentTimestamp(START + 10 * TTL);
        job.start(1);
        StateContract.mark(seen, 0, 100);
        job.checkpoint();
        job.changeBackend(() -> StateBackends.cascade(with(1e-9, 1)));
        job.time().setCurrentTimestamp(START);
        job.start(2);
        StateContract.mark(seen, 100, 1000);
        job.time().setCurrentTimestamp(START + TTL - 1);
        for (long key = 0; key < 1000; key++) {
            assertThat(seen.isMarked(key, NOWHERE)).isTrue();
        }
        assertThat(measured(job)).isEqualTo(MeasuredError.NONE);
    }

    @Test
    void whatIsMeasuredIsRightWhateverIsChangedBetweenRestores() throws Exception {
        for (int i = 0; i < 6; i++) {
            new History(i).run(15);
        }
    }

    @Test
    @Tag("long")
    void itIsForManySeeds() throws Exception {
        for (int i = 10; i < 80; i++) {
            new History(i).run(40);
        }
    }

    /**
     * The probability is so small that no new key is ever reported, so anything counted as dropped
     * was not a new key.
     */
    private final class History {
        private static final double HARDLY_EVER = 1e-12;

        private final SplittableRandom random;
        private final KeyedJob<Long> history;
        private Flags<Long, VoidNamespace> seen;
        private long now = START;
        private long nextKey;
        private long asked;

        History(int number) throws Exception {
            random = new SplittableRandom(Seeds.seed(number));
            history =
                    new KeyedJob<>(
                            () -> StateBackends.cascade(with(HARDLY_EVER, 1)),
                            KeyKind.LONGS,
                            MAX_PARALLELISM,
                            directory.resolve("history-" + number));
        }

        void run(int restores) throws Exception {
            boolean counted = false;
            for (int i = 0; i < restores; i++) {
                restart(i);
                for (int step = 0; step < 4; step++) {
                    work(random.nextInt(400));
                    pass();
                }
                MeasuredError measured = measured(history);
                assertThat(measured.dropped()).as("restart %d", i).isZero();
                assertThat(measured.firsts()).isLessThanOrEqualTo(asked);
                counted |= measured.firsts() > 0;
                if (random.nextInt(4) == 0) {
                    history.checkpoint(SavepointType.savepoint(SavepointFormatType.CANONICAL));
                }
                work(random.nextInt(50));
            }
            history.stop();
            assertThat(counted).isTrue();
        }

        private void restart(int number) throws Exception {
            int oneIn = number > 0 && random.nextInt(6) == 0 ? 0 : 1 + random.nextInt(3);
            int buckets = 1 + random.nextInt(8);
            MemorySize memory = MemorySize.ofMebiBytes(1);
            MemorySize sample = random.nextInt(4) == 0 ? MemorySize.parse("16kb") : memory;
            String delegate = random.nextBoolean() ? "rocksdb" : "hashmap";
            history.stop();
            history.changeBackend(
                    () ->
                            StateBackends.cascade(
                                    c ->
                                            with(HARDLY_EVER, oneIn)
                                                    .apply(c)
                                                    .set(CascadeBackendOptions.DELEGATE, delegate)
                                                    .set(
                                                            CascadeBackendOptions.SAMPLE_MEMORY,
                                                            sample)
                                                    .set(
                                                            CascadeBackendOptions.TTL_BUCKETS,
                                                            buckets)));
            pass();
            history.start(1 + random.nextInt(5));
            if (random.nextInt(3) == 0) {
                // Before the state has a name in this attempt, perhaps with other options.
                history.checkpoint();
            }
            long timeToLive = new long[] {0, TTL, TTL, 5 * TTL}[random.nextInt(4)];
            seen = history.flags(flag(timeToLive));
        }

        private void pass() {
            now += random.nextLong(TTL) - (random.nextInt(8) == 0 ? 3 * TTL : 0);
            history.time().setCurrentTimestamp(now);
        }

        private void work(int operations) throws Exception {
            for (int i = 0; i < operations; i++) {
                long key =
                        random.nextBoolean() || nextKey == 0 ? nextKey++ : random.nextLong(nextKey);
                switch (random.nextInt(8)) {
                    case 0 -> seen.mark(key, NOWHERE);
                    case 1 -> seen.clear(key, NOWHERE);
                    case 2 -> {
                        asked++;
                        seen.isMarked(key, NOWHERE);
                    }
                    default -> {
                        asked++;
                        seen.markFirst(key, NOWHERE);
                    }
                }
            }
        }
    }
}

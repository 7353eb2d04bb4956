/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.Seeds;
import io.sluice.state.CascadeBackendOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.runtime.state.VoidNamespace;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random histories in which everything changes between restores that may change: parallelism,
 * probability, time-to-live, capacity and delegate; compared with an exact model with time.
 */
class ChangingOptionsTest {
    private static final VoidNamespace NOWHERE = VoidNamespace.INSTANCE;
    private static final int MAX_PARALLELISM = 60;
    private static final long START = 1_700_000_000_000L;
    private static final long BRIEF = 60_000;
    private static final long LONG = 40 * BRIEF;
    private static final int BUCKETS = 4;
    private static final double MAX_PROBABLE = 1e-2;

    /** Never marked. */
    private static final long ABSENT = 1L << 40;

    @TempDir Path directory;

    @Test
    void whatIsHeldIsAsInTheModelWhateverIsChangedBetweenRestores() throws Exception {
        for (int i = 0; i < 4; i++) {
            new History(i).run(12);
        }
    }

    @Test
    @Tag("long")
    void itIsForManySeeds() throws Exception {
        for (int i = 10; i < 60; i++) {
            new History(i).run(40);
        }
    }

    /** From when a mark may be gone, and from when it must be. */
    private record Life(long atLeast, long atMost) {}

    private final class History {
        private final SplittableRandom random;
        private final KeyedJob<Long> job;
        private final Map<Long, Life> marks = new HashMap<>();
        private final Map<Long, Long> markedAt = new HashMap<>();
        private Flags<Long, VoidNamespace> seen;
        private long now = START;
        private long ttl;
        private long nextKey;
        private long asked;
        private long wrong;

        History(int number) throws Exception {
            random = new SplittableRandom(Seeds.seed(number));
            job =
                    new KeyedJob<>(
                            () -> StateBackends.cascade(c -> c),
                            KeyKind.LONGS,
                            MAX_PARALLELISM,
                            directory.resolve("history-" + number));
        }

        void run(int restores) throws Exception {
            for (int i = 0; i < restores; i++) {
                restart();
                for (int step = 0; step < 4; step++) {
                    mark(100 + random.nextInt(2_000));
                    pass(random.nextLong(BRIEF));
                    check();
                }
                job.checkpoint();
            }
            job.stop();
            assertThat(wrong).isLessThanOrEqualTo(Tolerance.of(asked, MAX_PROBABLE));
        }

        private void restart() throws Exception {
            double probability = random.nextBoolean() ? MAX_PROBABLE : 1e-6;
            long capacity = random.nextBoolean() ? 500 : 1_000_000;
            String delegate = random.nextBoolean() ? "rocksdb" : "hashmap";
            long before = ttl;
            ttl = new long[] {0, BRIEF, LONG}[random.nextInt(3)];
            job.stop();
            long told = now;
            pass(random.nextLong(BRIEF));
            job.changeBackend(
                    () -> StateBackends.cascade(c -> with(c, probability, capacity, delegate)));
            job.start(1 + random.nextInt(5));
            ValueStateDescriptor<Boolean> descriptor =
                    new ValueStateDescriptor<>("seen", Types.BOOLEAN);
            if (ttl > 0) {
                descriptor.enableTimeToLive(
                        StateTtlConfig.newBuilder(Duration.ofMillis(ttl)).build());
            }
            seen = job.flags(descriptor);
            if (ttl != before) {
                marks.replaceAll((key, life) -> after(life, markedAt.get(key), before, told));
            }
            // Every subtask names its state; marks start their time-to-live then.
            for (int i = 0; i < job.parallelism(); i++) {
                var backend = job.subtask(i).backend();
                backend.getPartitionedState(
                        NOWHERE,
                        org.apache.flink.runtime.state.VoidNamespaceSerializer.INSTANCE,
                        descriptor);
            }
        }

        private Configuration with(
                Configuration c, double probability, long capacity, String delegate) {
            return c.set(CascadeBackendOptions.FALSE_POSITIVE_PROBABILITY, probability)
                    .set(CascadeBackendOptions.CAPACITY, capacity)
                    .set(CascadeBackendOptions.DELEGATE, delegate)
                    .set(CascadeBackendOptions.TTL_BUCKETS, BUCKETS)
                    .set(CascadeBackendOptions.BUFFER_SIZE, MemorySize.parse("16kb"));
        }

        /** A mark whose state has another time-to-live from now on. */
        private Life after(Life life, long made, long before, long told) {
            // Marks that ended while nothing ran are not dropped yet, as on Flink's own backends.
            if (told >= life.atMost()) {
                return life;
            }
            long most = ttl == 0 ? Long.MAX_VALUE : now + ttl + ttl / BUCKETS + 1;
            if (told >= life.atLeast()) {
                return new Life(now, most);
            }
            if (ttl == 0) {
                return new Life(Long.MAX_VALUE, Long.MAX_VALUE);
            }
            return new Life((before == 0 ? now : made) + ttl, most);
        }

        private void mark(int count) throws Exception {
            for (int i = 0; i < count; i++) {
                long key =
                        random.nextInt(4) == 0 && nextKey > 0
                                ? random.nextLong(nextKey)
                                : nextKey++;
                seen.mark(key, NOWHERE);
                Life old = marks.get(key);
                Life life =
                        ttl == 0
                                ? new Life(Long.MAX_VALUE, Long.MAX_VALUE)
                                : new Life(now + ttl, now + ttl + ttl / BUCKETS + 1);
                // Without a time to live, an existing mark is not made again.
                marks.put(
                        key,
                        old == null
                                ? life
                                : new Life(
                                        Math.max(old.atLeast(), life.atLeast()),
                                        Math.max(old.atMost(), life.atMost())));
                markedAt.put(key, now);
            }
        }

        private void pass(long millis) {
            now += millis;
            job.time().setCurrentTimestamp(now);
        }

        private void check() throws Exception {
            for (Map.Entry<Long, Life> mark : marks.entrySet()) {
                boolean is = seen.isMarked(mark.getKey(), NOWHERE);
                if (now < mark.getValue().atLeast()) {
                    assertThat(is).as("key %d", mark.getKey()).isTrue();
                } else if (now >= mark.getValue().atMost()) {
                    count(is);
                }
            }
            for (int i = 0; i < 500; i++) {
                count(seen.isMarked(ABSENT + random.nextInt(1 << 20), NOWHERE));
            }
        }

        private void count(boolean isMarked) {
            asked++;
            wrong += isMarked ? 1 : 0;
        }
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.Seeds;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Thousands of random operations, checkpoints, failures and rescales, compared with an exact model,
 * for marks that last and for marks that expire.
 */
class RandomOperationsContractTest extends StateContract {
    private static final long TTL = 10_000;
    private static final int NAMESPACES = 3;
    private static final long START = 1_700_000_000_000L;

    /**
     * What a model says about one mark.
     *
     * @param mapKey of a map state; empty for a value state
     */
    private record Mark(long key, String namespace, String mapKey) {}

    /** The state under test, as a set of marks. */
    private interface Marks {
        boolean isMarked(Mark mark) throws Exception;

        void mark(Mark mark) throws Exception;

        void remove(Mark mark) throws Exception;

        /** The mark of a number: different for different numbers. */
        Mark mark(long number, String namespace);
    }

    private record ValueMarks(Flags<Long, String> flags) implements Marks {
        @Override
        public boolean isMarked(Mark mark) throws Exception {
            return flags.isMarked(mark.key(), mark.namespace());
        }

        @Override
        public void mark(Mark mark) throws Exception {
            flags.mark(mark.key(), mark.namespace());
        }

        @Override
        public void remove(Mark mark) throws Exception {
            flags.clear(mark.key(), mark.namespace());
        }

        @Override
        public Mark mark(long number, String namespace) {
            return new Mark(number, namespace, "");
        }
    }

    /** Many marks for each key. */
    private record MapMarks(MapFlags<String> flags) implements Marks {
        private static final int KEYS = 97;

        @Override
        public boolean isMarked(Mark mark) throws Exception {
            return flags.isMarked(mark.key(), mark.namespace(), mark.mapKey());
        }

        @Override
        public void mark(Mark mark) throws Exception {
            if (mark.mapKey().hashCode() % 2 == 0) {
                flags.mark(mark.key(), mark.namespace(), mark.mapKey());
            } else {
                flags.markAll(mark.key(), mark.namespace(), Map.of(mark.mapKey(), true));
            }
        }

        @Override
        public void remove(Mark mark) throws Exception {
            flags.remove(mark.key(), mark.namespace(), mark.mapKey());
        }

        @Override
        public Mark mark(long number, String namespace) {
            return new Mark(number % KEYS, namespace, "e" + number);
        }
    }

    /** When each mark was last made; a mark without an entry does not exist. */
    private static final class Model {
        private final Map<Mark, Long> marks;

        Model(Map<Mark, Long> marks) {
            this.marks = new HashMap<>(marks);
        }
    }

    /** A checkpoint in flight, and what it holds. */
    private record InFlight(Checkpoint checkpoint, Model model) {}

    @Test
    void lastingMarksAreAsInTheModel() throws Exception {
        run(0, 8_000, 0, false);
    }

    @Test
    void lastingEntriesOfMapsAreAsInTheModel() throws Exception {
        run(0, 8_000, 0, true);
    }

    @Test
    void expiringEntriesOfMapsAreAsInTheModel() throws Exception {
        run(1, 8_000, TTL, true);
    }

    @Test
    void expiringMarksAreAsInTheModel() throws Exception {
        run(1, 8_000, TTL, false);
    }

    @Test
    @Tag("long")
    void theyAreForManySeeds() throws Exception {
        for (int i = 2; i < 40; i++) {
            run(i, 40_000, i % 2 == 0 ? 0 : TTL, i % 4 < 2);
        }
    }

    private void run(int repetition, int operations, long ttl, boolean isMap) throws Exception {
        SplittableRandom random = new SplittableRandom(Seeds.seed(repetition));
        int maxParallelism = 20 + random.nextInt(200);
        KeyedJob<Long> job = job(KeyKind.LONGS, maxParallelism);
        job.time().setCurrentTimestamp(START);
        Marks marks =
                isMap
                        ? new MapMarks(
                                job.mapFlags(
                                        expiring(StateBackends.mapOfFlags(), ttl),
                                        StringSerializer.INSTANCE))
                        : new ValueMarks(
                                job.flags(
                                        expiring(backends.flag("seen"), ttl),
                                        StringSerializer.INSTANCE));
        job.start(1 + random.nextInt(3));
        new Run(random, job, marks, ttl).operations(operations);
        job.stop();
    }

    private static <D extends StateDescriptor<?, ?>> D expiring(D descriptor, long ttl) {
        if (ttl > 0) {
            descriptor.enableTimeToLive(StateTtlConfig.newBuilder(Duration.ofMillis(ttl)).build());
        }
        return descriptor;
    }

    private final class Run {
        private final SplittableRandom random;
        private final KeyedJob<Long> job;
        private final Marks marks;
        private final long ttl;
        private final Deque<InFlight> inFlight = new ArrayDeque<>();
        private final Set<Mark> absentAsked = new HashSet<>();
        private final Set<Mark> wronglyMarked = new HashSet<>();
        private Model model = new Model(Map.of());
        private Model completed = new Model(Map.of());
        private long now = START;
        private long nextKey;
        private long clears;
        private long wronglyAbsent;

        Run(SplittableRandom random, KeyedJob<Long> job, Marks marks, long ttl) {
            this.random = random;
            this.job = job;
            this.marks = marks;
            this.ttl = ttl;
        }

        void operations(int count) throws Exception {
            for (int i = 0; i < count; i++) {
                switch (random.nextInt(1000)) {
                    case 0, 1, 2, 3, 4 -> begin();
                    case 5, 6, 7, 8, 9 -> end();
                    case 10, 11 -> restart();
                    default -> operation();
                }
            }
            model.marks.keySet().forEach(this::check);
            assertThat(wronglyMarked.size())
                    .as("marks without cause among %d", absentAsked.size())
                    .isLessThanOrEqualTo((int) allowed(absentAsked.size()));
            // Clearing a key can also clear another one that has the same fingerprint.
            assertThat(wronglyAbsent)
                    .as("marks that were lost after %d clears", clears)
                    .isLessThanOrEqualTo(allowed(clears));
        }

        private void operation() throws Exception {
            Mark mark = anyMark();
            if (ttl > 0 && random.nextInt(20) == 0) {
                now += random.nextLong(ttl / 5);
                job.time().setCurrentTimestamp(now);
            }
            switch (random.nextInt(10)) {
                case 0 -> {
                    marks.remove(mark);
                    model.marks.remove(mark);
                    clears++;
                }
                case 1, 2, 3 -> check(mark);
                case 4 -> mark(mark);
                default -> {
                    check(mark);
                    mark(mark);
                }
            }
        }

        private Mark anyMark() {
            long key =
                    random.nextInt(3) == 0 || nextKey == 0
                            ? nextKey++
                            : nextKey - 1 - random.nextLong(Math.min(nextKey, 500));
            return marks.mark(key, "n" + random.nextInt(NAMESPACES));
        }

        private void mark(Mark mark) throws Exception {
            marks.mark(mark);
            model.marks.put(mark, now);
        }

        private void check(Mark mark) {
            boolean is;
            try {
                is = marks.isMarked(mark);
            } catch (Exception e) {
                throw new AssertionError("asking for " + mark, e);
            }
            Long since = model.marks.get(mark);
            if (since != null && (ttl == 0 || now < since + ttl)) {
                wronglyAbsent += is ? 0 : 1;
            } else if (since == null || now >= since + ttl + slack()) {
                absentAsked.add(mark);
                if (is) {
                    wronglyMarked.add(mark);
                }
            }
        }

        private long slack() {
            int buckets = backends.timeToLiveBuckets();
            return buckets == 0 ? 0 : (ttl + buckets - 1) / buckets;
        }

        private void begin() throws Exception {
            inFlight.add(new InFlight(job.begin(), new Model(model.marks)));
        }

        /** Completes or aborts one checkpoint in flight, written or not. */
        private void end() throws Exception {
            InFlight next = inFlight.poll();
            if (next == null) {
                return;
            }
            int fate = random.nextInt(4);
            if (fate > 0) {
                job.finish(next.checkpoint());
            }
            if (fate > 1) {
                job.complete(next.checkpoint());
                completed = next.model();
            } else {
                job.abort(next.checkpoint());
            }
        }

        private void restart() throws Exception {
            for (InFlight each : inFlight) {
                each.checkpoint().parts().forEach(part -> part.cancel(true));
            }
            inFlight.clear();
            job.start(1 + random.nextInt(4));
            model = new Model(completed.marks);
        }
    }
}

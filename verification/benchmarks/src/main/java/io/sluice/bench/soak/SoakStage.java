/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.soak;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Where the run and the tasks of one of its jobs meet, in this process: they tell how far they are,
 * it tells them to fail.
 */
final class SoakStage {
    private static final Map<SoakJob, SoakStage> BY_JOB = new EnumMap<>(SoakJob.class);

    static {
        reset();
    }

    /** Behind the position; more than any range of repeats. */
    private static final long REMEMBERED = 4_000_000;

    private final AtomicLong position = new AtomicLong();

    /** When records were first emitted, by nanoTime, for one in some. */
    private final NavigableMap<Long, Long> emittedAt = new ConcurrentSkipListMap<>();

    private final AtomicInteger failures = new AtomicInteger();
    private final AtomicInteger starts = new AtomicInteger();
    private final Map<Integer, long[]> tallies = new ConcurrentHashMap<>();

    private SoakStage() {}

    /** Forgets the run before. */
    static synchronized void reset() {
        for (SoakJob job : SoakJob.values()) {
            BY_JOB.put(job, new SoakStage());
        }
    }

    static synchronized SoakStage of(SoakJob job) {
        return BY_JOB.get(job);
    }

    /** Records that the source has emitted; goes back with a restore. */
    long position() {
        return position.get();
    }

    /** By the task behind the source, every thousand records or so and at each checkpoint. */
    void moveTo(long number) {
        position.set(number);
        emittedAt.putIfAbsent(number, System.nanoTime());
        emittedAt.headMap(number - REMEMBERED).clear();
    }

    /** How long ago a record was emitted for the first time, at the most. */
    long nanosSince(long number) {
        Map.Entry<Long, Long> mark = emittedAt.floorEntry(number);
        return mark == null ? 0 : System.nanoTime() - mark.getValue();
    }

    /** The next record makes its task fail. */
    void fail() {
        failures.incrementAndGet();
    }

    /** Whether the caller has to fail, once for each {@link #fail}. */
    boolean takesFailure() {
        return failures.get() > 0 && failures.getAndUpdate(n -> Math.max(0, n - 1)) > 0;
    }

    /** The job has begun, from a checkpoint or anew. */
    void started() {
        starts.incrementAndGet();
    }

    int restarts() {
        return starts.get() - 1;
    }

    /** What a subtask had counted at its last checkpoint. */
    void tally(int subtask, long... counts) {
        tallies.put(subtask, counts.clone());
    }

    /** The sums of all subtasks. */
    long[] tally() {
        long[] sums = new long[SoakTally.COUNTS];
        for (long[] counts : tallies.values()) {
            Arrays.setAll(sums, i -> sums[i] + counts[i]);
        }
        return sums;
    }
}

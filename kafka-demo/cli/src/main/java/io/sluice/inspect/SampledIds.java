/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import io.sluice.filter.forgetful.WindowOptions;
import io.sluice.filter.sample.StoredSample;
import io.sluice.flink.dedup.StoredDeduplicator;
import java.util.HashMap;
import java.util.Map;
import javax.annotation.Nullable;

/**
 * What a key group knows exactly about its ids: those of its sample that are in the window.
 *
 * @param sample null if the key group has no ids
 * @param ids that the key group holds, as far as a filter can tell
 * @param clock {@link Long#MIN_VALUE} if it is not known
 * @param from ids before this time may have been forgotten
 */
record SampledIds(@Nullable StoredSample sample, long ids, long clock, long from) {

    /**
     * @param stored null if the key group has no ids
     */
    static SampledIds of(@Nullable StoredDeduplicator stored) {
        if (stored == null) {
            return new SampledIds(null, 0, Long.MIN_VALUE, Long.MIN_VALUE);
        }
        long ids = stored.filter().ids();
        long clock = stored.filter().clock();
        long start = windowStart(clock, stored.filter().options());
        return new SampledIds(
                ids == 0 ? null : stored.sample(),
                ids,
                clock,
                Math.max(start, stored.filter().coveredSince()));
    }

    /** Returns the time of the oldest ids in the window; the least long without a clock. */
    static long windowStart(long clock, WindowOptions options) {
        long window = options.windowMillis();
        return clock < Long.MIN_VALUE + window ? Long.MIN_VALUE : clock - window;
    }

    /**
     * Whether the sample knows all ids of its choice; a key group without ids has nothing to know.
     */
    private boolean isKnown() {
        return sample == null || sample.isComplete();
    }

    /**
     * Compares the key group in two checkpoints; null if a sample does not know its ids, or there
     * is no time that both cover.
     */
    @Nullable
    static SeenAgreement.KeyGroup compare(int keyGroup, SampledIds a, SampledIds b) {
        if (!a.isKnown() || !b.isKnown()) {
            return null;
        }
        long from = Math.max(a.from, b.from);
        if (a.isBefore(from) || b.isBefore(from)) {
            return null;
        }
        Map<Long, Long> timesA = a.newestTimes(b, from);
        Map<Long, Long> timesB = b.newestTimes(a, from);
        Side onlyA = new Side(a.clock, b.clock);
        Side onlyB = new Side(b.clock, a.clock);
        long both = 0;
        for (Map.Entry<Long, Long> id : timesA.entrySet()) {
            if (timesB.remove(id.getKey()) == null) {
                onlyA.add(id.getValue());
            } else {
                both++;
            }
        }
        timesB.values().forEach(onlyB::add);
        long alone = onlyA.count + onlyA.later + onlyB.count + onlyB.later;
        return new SeenAgreement.KeyGroup(
                keyGroup,
                a.ids,
                b.ids,
                Math.max(a.oneIn(), b.oneIn()),
                both + alone,
                onlyA.count,
                onlyB.count,
                onlyA.later,
                onlyB.later,
                alone == 0 ? null : Long.valueOf(Math.min(onlyA.oldest, onlyB.oldest)),
                alone == 0 ? null : Long.valueOf(Math.max(onlyA.newest, onlyB.newest)));
    }

    /** Whether it has ids, and none that can be as late. */
    private boolean isBefore(long from) {
        return ids > 0 && clock != Long.MIN_VALUE && from > clock;
    }

    private long oneIn() {
        return sample == null ? 1 : sample.oneIn();
    }

    /** The latest time of each id that the other would know too. */
    private Map<Long, Long> newestTimes(SampledIds other, long since) {
        Map<Long, Long> times = new HashMap<>();
        if (sample != null) {
            sample.forEach(
                    (hash, time) -> {
                        if (time >= since
                                && (other.sample == null || other.sample.contains(hash))) {
                            times.merge(hash, time, Math::max);
                        }
                    });
        }
        return times;
    }

    /** Ids that only one has. */
    private static final class Side {
        /** Later ids are those that the other side had not got to; none if it is not behind. */
        private final long clockOfOther;

        private long count;
        private long later;
        private long oldest = Long.MAX_VALUE;
        private long newest = Long.MIN_VALUE;

        Side(long clock, long clockOfOther) {
            boolean isBehind = clockOfOther != Long.MIN_VALUE && clockOfOther < clock;
            this.clockOfOther = isBehind ? clockOfOther : Long.MAX_VALUE;
        }

        void add(long time) {
            if (time > clockOfOther) {
                later++;
            } else {
                count++;
            }
            oldest = Math.min(oldest, time);
            newest = Math.max(newest, time);
        }
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import io.sluice.flink.runtime.KeyedTimers;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.runtime.state.KeyedStateBackend;

/**
 * The exact state of verification: of each id, the times of the records that passed, and the time
 * that each is kept as, with a timer to clear it. In the list the two alternate. A list, because a
 * backend adds to it without reading it.
 *
 * <p>Two records that passed are more than a window apart, so an id has few.
 */
final class PassedTimes {

    /** Name of the state and of the timer service. */
    static final String NAME = "passedTimes";

    private PassedTimes() {}

    static ListStateDescriptor<Long> descriptor() {
        return new ListStateDescriptor<>(NAME, LongSerializer.INSTANCE);
    }

    /** Deletes the state of all keys, and all timers: see {@link KeyedTimers#discard}. */
    static <K> void discard(KeyedStateBackend<K> backend) throws Exception {
        KeyedTimers.discard(backend, descriptor());
    }

    /**
     * Returns whether a record passed within {@code window} of {@code time}, before or after it.
     */
    static boolean hasNear(@Nullable Iterable<Long> passed, long time, long window) {
        if (passed == null) {
            return false;
        }
        for (Iterator<Long> i = passed.iterator(); i.hasNext(); i.next()) {
            long other = i.next();
            long distance = Math.max(time, other) - Math.min(time, other);
            // A negative one is too large for a long.
            if (distance >= 0 && distance <= window) {
                return true;
            }
        }
        return false;
    }

    /** Those that are kept as of {@code since} or later. */
    static List<Long> from(Iterable<Long> passed, long since) {
        List<Long> left = new ArrayList<>();
        for (Iterator<Long> i = passed.iterator(); i.hasNext(); ) {
            Long time = i.next();
            Long kept = i.next();
            if (kept >= since) {
                left.add(time);
                left.add(kept);
            }
        }
        return left;
    }

    /** Returns the same, none of them kept as of later than {@code latest}. */
    static List<Long> bounded(Iterable<Long> passed, long latest) {
        List<Long> bounded = from(passed, Long.MIN_VALUE);
        for (int i = 1; i < bounded.size(); i += 2) {
            bounded.set(i, Math.min(bounded.get(i), latest));
        }
        return bounded;
    }

    /** Returns the least time that one of them is kept as. */
    static long firstKept(List<Long> passed) {
        long first = Long.MAX_VALUE;
        for (int i = 1; i < passed.size(); i += 2) {
            first = Math.min(first, passed.get(i));
        }
        return first;
    }
}

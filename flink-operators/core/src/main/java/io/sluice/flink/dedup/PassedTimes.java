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
 * that each is kept as, with a timer to clear it. In the list the two alternate. Where contents are
 * compared, a pair of {@link #CONTENT} and the hash of the content follows. A list, because a
 * backend adds to it without reading it.
 *
 * <p>Two records that passed are more than a window apart, so an id has few.
 */
final class PassedTimes {

    /** Name of the state and of the timer service. */
    static final String NAME = "passedTimes";

    /** No record has this time: it means that there is none. */
    private static final long CONTENT = Long.MIN_VALUE;

    private PassedTimes() {}

    static ListStateDescriptor<Long> descriptor() {
        return new ListStateDescriptor<>(NAME, LongSerializer.INSTANCE);
    }

    /** Deletes the state of all keys, and all timers: see {@link KeyedTimers#discard}. */
    static <K> void discard(KeyedStateBackend<K> backend) throws Exception {
        KeyedTimers.discard(backend, descriptor());
    }

    /** Returns what is kept of a record with its content. */
    static List<Long> withContent(long time, long kept, long content) {
        return List.of(time, kept, CONTENT, content);
    }

    /** Returns whether the pair that has its second number at {@code i} is a content. */
    static boolean isContent(List<Long> passed, int i) {
        return passed.get(i - 1) == CONTENT;
    }

    /**
     * Returns FIRST if no record passed within {@code window} of {@code time}, before or after it;
     * otherwise what {@code content} is to those that did.
     *
     * @param content hash of the content; any number if none are kept
     */
    static Verdict compared(@Nullable Iterable<Long> passed, long time, long window, long content) {
        if (passed == null) {
            return Verdict.FIRST;
        }
        Verdict verdict = Verdict.FIRST;
        Verdict ofLast = Verdict.FIRST;
        for (Iterator<Long> i = passed.iterator(); i.hasNext(); ) {
            long other = i.next();
            long second = i.next();
            if (other != CONTENT) {
                verdict = joined(verdict, ofLast);
                ofLast = isNear(other, time, window) ? Verdict.UNCOMPARED : Verdict.FIRST;
            } else if (ofLast != Verdict.FIRST) {
                ofLast = second == content ? Verdict.DUPLICATE : Verdict.CONFLICT;
            }
        }
        return joined(verdict, ofLast);
    }

    private static Verdict joined(Verdict before, Verdict next) {
        if (before == Verdict.FIRST || next == Verdict.FIRST) {
            return before == Verdict.FIRST ? next : before;
        }
        return before.and(next);
    }

    private static boolean isNear(long other, long time, long window) {
        long distance = Math.max(time, other) - Math.min(time, other);
        // A negative one is too large for a long.
        return distance >= 0 && distance <= window;
    }

    /** Those that are kept as of {@code since} or later. */
    static List<Long> from(Iterable<Long> passed, long since) {
        List<Long> left = new ArrayList<>();
        boolean keeps = false;
        for (Iterator<Long> i = passed.iterator(); i.hasNext(); ) {
            Long time = i.next();
            Long kept = i.next();
            keeps = time == CONTENT ? keeps : kept >= since;
            if (keeps) {
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
            if (!isContent(bounded, i)) {
                bounded.set(i, Math.min(bounded.get(i), latest));
            }
        }
        return bounded;
    }

    /** Returns the least time that one of them is kept as. */
    static long firstKept(List<Long> passed) {
        long first = Long.MAX_VALUE;
        for (int i = 1; i < passed.size(); i += 2) {
            if (!isContent(passed, i)) {
                first = Math.min(first, passed.get(i));
            }
        }
        return first;
    }
}

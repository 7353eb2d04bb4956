/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink;

import static java.util.Objects.requireNonNull;

import java.io.Serializable;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;
import org.apache.flink.annotation.PublicEvolving;
import org.apache.flink.util.OutputTag;

/**
 * What happens to a late record: one that is older than the window and whose id is no longer held,
 * so it cannot be known whether it was seen. The record is always counted in the metric {@code
 * late}. A late record whose id is still held is a duplicate, not late. With {@code verify()} a
 * record inside the window is not late even if the filter had to forget early: the exact state
 * knows. (After a restart it is late if its id is not in the state, until the window has moved past
 * what the filter forgot before.) Immutable.
 *
 * @param <T> type of the records
 */
@PublicEvolving
public final class OnLate<T> implements Serializable {

    private final boolean forward;
    @Nullable private final OutputTag<T> sideOutput;

    private OnLate(boolean forward, @Nullable OutputTag<T> sideOutput) {
        this.forward = forward;
        this.sideOutput = sideOutput;
    }

    /**
     * The record is treated as a first occurrence: better a duplicate than a loss. It is remembered
     * for a window of the clock from then on, so that of several late copies one passes.
     */
    public static <T> OnLate<T> forward() {
        return new OnLate<>(true, null);
    }

    /** The record ends here: better a loss than a duplicate. */
    public static <T> OnLate<T> drop() {
        return new OnLate<>(false, null);
    }

    /** The record goes, unchanged and with its timestamp, to a side output. */
    public static <T> OnLate<T> sideOutput(OutputTag<T> tag) {
        return new OnLate<>(false, SideOutputs.plain(requireNonNull(tag, "tag")));
    }

    /** Returns whether late records pass like first occurrences. */
    public boolean forwards() {
        return forward;
    }

    /**
     * Refuses what would have no effect, where no record can be late.
     *
     * @param why until the verb, such as {@code in processing time, no record is}
     * @throws IllegalArgumentException if something else than {@link #forward()} was asked for
     */
    @Internal
    public void requireForward(String why) {
        if (!forward) {
            throw new IllegalArgumentException(
                    "onLate(...) has no effect: " + why + " late. Leave it out.");
        }
    }

    /** Null unless late records go to a side output. */
    @Nullable
    public OutputTag<T> sideOutput() {
        return sideOutput;
    }
}

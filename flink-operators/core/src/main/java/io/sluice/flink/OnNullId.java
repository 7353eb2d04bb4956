/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink;

import static java.util.Objects.requireNonNull;

import java.io.Serializable;
import javax.annotation.Nullable;
import org.apache.flink.annotation.PublicEvolving;
import org.apache.flink.util.OutputTag;

/**
 * What happens to a record whose id is null, so that it cannot be known whether it was seen. The
 * record is always counted in the metric {@code nullIds}. A null inside an id is up to the id's
 * serializer. Immutable.
 *
 * @param <T> type of the records
 */
@PublicEvolving
public final class OnNullId<T> implements Serializable {

    private enum Action {
        FAIL,
        FORWARD,
        DROP,
        SIDE_OUTPUT
    }

    private final Action action;
    @Nullable private final OutputTag<T> sideOutput;

    private OnNullId(Action action, @Nullable OutputTag<T> sideOutput) {
        this.action = action;
        this.sideOutput = sideOutput;
    }

    /** The job fails, with a message that names the operator: a missing id is a mistake. */
    public static <T> OnNullId<T> fail() {
        return new OnNullId<>(Action.FAIL, null);
    }

    /** The record is treated as a first occurrence, every time: better a duplicate than a loss. */
    public static <T> OnNullId<T> forward() {
        return new OnNullId<>(Action.FORWARD, null);
    }

    /** The record ends here. */
    public static <T> OnNullId<T> drop() {
        return new OnNullId<>(Action.DROP, null);
    }

    /** The record goes, unchanged and with its timestamp, to a side output. */
    public static <T> OnNullId<T> sideOutput(OutputTag<T> tag) {
        return new OnNullId<>(Action.SIDE_OUTPUT, SideOutputs.plain(requireNonNull(tag, "tag")));
    }

    /** Returns whether the job fails. */
    public boolean fails() {
        return action == Action.FAIL;
    }

    /** Returns whether such records pass like first occurrences. */
    public boolean forwards() {
        return action == Action.FORWARD;
    }

    /** Null unless such records go to a side output. */
    @Nullable
    public OutputTag<T> sideOutput() {
        return sideOutput;
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink;

import static java.util.Objects.requireNonNull;

import java.io.Serializable;
import javax.annotation.Nullable;
import org.apache.flink.annotation.PublicEvolving;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.util.OutputTag;

/**
 * What happens to a record whose id was reported as seen. The record is always counted in the
 * metric {@code duplicates}. Immutable.
 *
 * @param <T> type of the records
 */
@PublicEvolving
public final class OnDuplicate<T> implements Serializable {

    @Nullable private final MapFunction<T, T> marker;
    @Nullable private final OutputTag<T> sideOutput;

    private OnDuplicate(@Nullable MapFunction<T, T> marker, @Nullable OutputTag<T> sideOutput) {
        this.marker = marker;
        this.sideOutput = sideOutput;
    }

    /** The record ends here. */
    public static <T> OnDuplicate<T> drop() {
        return new OnDuplicate<>(null, null);
    }

    /**
     * The record passes on the main output, as {@code marker} returns it: a flag set, a header
     * added. The marker may change and return its argument.
     */
    public static <T> OnDuplicate<T> tag(MapFunction<T, T> marker) {
        return new OnDuplicate<>(requireNonNull(marker, "marker"), null);
    }

    /** The record goes, unchanged and with its timestamp, to a side output. */
    public static <T> OnDuplicate<T> sideOutput(OutputTag<T> tag) {
        return new OnDuplicate<>(null, SideOutputs.plain(requireNonNull(tag, "tag")));
    }

    /** Null unless duplicates are tagged. */
    @Nullable
    public MapFunction<T, T> marker() {
        return marker;
    }

    /** Null unless duplicates go to a side output. */
    @Nullable
    public OutputTag<T> sideOutput() {
        return sideOutput;
    }
}

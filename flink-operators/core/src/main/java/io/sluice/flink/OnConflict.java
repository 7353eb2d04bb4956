/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink;

import static java.util.Objects.requireNonNull;

import java.io.Serializable;
import javax.annotation.Nullable;
import org.apache.flink.annotation.PublicEvolving;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.util.OutputTag;

/**
 * What happens to a conflict: a duplicate whose content is not that of a record of its id that
 * passed. Such a record is a duplicate in every other respect, so {@link OnDuplicate} applies to it
 * too; it is also counted in the metric {@code conflicts}. Immutable.
 *
 * <p>The content is what the selector gives, of any type that an id may have; it must be
 * deterministic. Contents are equal if their 64-bit hashes are. A null is equal to other nulls
 * only.
 *
 * @param <T> type of the records
 */
@PublicEvolving
public final class OnConflict<T> implements Serializable {

    private final KeySelector<T, ?> content;
    @Nullable private final TypeInformation<?> contentType;
    @Nullable private final OutputTag<T> sideOutput;

    private OnConflict(
            KeySelector<T, ?> content,
            @Nullable TypeInformation<?> contentType,
            @Nullable OutputTag<T> sideOutput) {
        this.content = requireNonNull(content, "content");
        this.contentType = contentType;
        this.sideOutput = sideOutput;
    }

    /** Conflicts are only counted. */
    public static <T, C> OnConflict<T> count(KeySelector<T, C> content) {
        return new OnConflict<>(content, null, null);
    }

    /** A conflict also goes, unchanged and with its timestamp, to a side output. */
    public static <T, C> OnConflict<T> sideOutput(KeySelector<T, C> content, OutputTag<T> tag) {
        return new OnConflict<>(content, null, SideOutputs.plain(requireNonNull(tag, "tag")));
    }

    /** Returns the same with the type of the content, where Flink cannot find it out. */
    public OnConflict<T> contentType(TypeInformation<?> type) {
        return new OnConflict<>(content, requireNonNull(type, "type"), sideOutput);
    }

    /** Returns what selects the content. */
    public KeySelector<T, ?> content() {
        return content;
    }

    /** Null unless it was given. */
    @Nullable
    public TypeInformation<?> contentType() {
        return contentType;
    }

    /** Null unless conflicts go to a side output. */
    @Nullable
    public OutputTag<T> sideOutput() {
        return sideOutput;
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.dedup;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Locale;
import javax.annotation.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Where in the input the records begin that a new job writes. Those before it are only remembered.
 *
 * @param time of {@link Kind#TIME}; null for the others
 */
record From(Kind kind, @Nullable Instant time) {

    /** How a beginning is told. */
    enum Kind {
        /** The first record that is there. */
        EARLIEST,
        /** The first record that comes after the start. */
        LATEST,
        /** The offsets that the consumer group has committed. */
        GROUP_OFFSETS,
        /** The first record of each partition with that timestamp or a later one. */
        TIME
    }

    /** Whether every record is written. */
    boolean isEarliest() {
        return kind == Kind.EARLIEST;
    }

    /** As an option writes it; equal for equal ones. */
    @Override
    public String toString() {
        return time != null ? time.toString() : text(kind);
    }

    private static String text(Kind kind) {
        return kind.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** As options write it. */
    static final class Converter implements ITypeConverter<From> {
        @Override
        public From convert(String text) {
            for (Kind kind : Kind.values()) {
                if (kind != Kind.TIME && text(kind).equalsIgnoreCase(text)) {
                    return new From(kind, null);
                }
            }
            try {
                return new From(Kind.TIME, OffsetDateTime.parse(text).toInstant());
            } catch (DateTimeException e) {
                throw new TypeConversionException(
                        "'"
                                + text
                                + "' is not a beginning: write earliest, latest, group-offsets or a"
                                + " time like 2025-04-25T09:44:25Z");
            }
        }
    }
}

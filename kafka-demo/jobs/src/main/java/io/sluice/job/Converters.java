/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job;

import io.sluice.filter.plane.Layout;
import io.sluice.record.CounterKind;
import java.time.Duration;
import java.util.Iterator;
import java.util.Locale;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.util.TimeUtils;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Converts option values other than plain numbers or text, the same for jobs and for the command.
 */
public final class Converters {
    private Converters() {}

    /** {@code 500ms}, {@code 10s}, {@code 10 min}. */
    public static final class OfDuration implements ITypeConverter<Duration> {
        @Override
        public Duration convert(String text) {
            try {
                return TimeUtils.parseDuration(text);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(
                        "'" + text + "' is not a duration: write 500ms, 10s or '10 min'");
            }
        }
    }

    /** {@code 256mb}, {@code 1gb}. */
    public static final class OfMemorySize implements ITypeConverter<MemorySize> {
        @Override
        public MemorySize convert(String text) {
            try {
                return MemorySize.parse(text);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(
                        "'" + text + "' is not a size: write 256mb or" + " 1gb");
            }
        }
    }

    /** The layout of a filter with a window, in capitals or not. */
    public static final class OfLayout implements ITypeConverter<Layout> {
        @Override
        public Layout convert(String text) {
            String name = text.toUpperCase(Locale.ROOT);
            return Layout.forWindows().stream()
                    .filter(layout -> layout.name().equals(name))
                    .findFirst()
                    .orElseThrow(
                            () ->
                                    new TypeConversionException(
                                            "'"
                                                    + text
                                                    + "' is not a layout of a filter with a window:"
                                                    + " choose among "
                                                    + Layout.forWindows()));
        }
    }

    /** Lists the values of {@link OfLayout} for the help. */
    public static final class Layouts implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Layout.forWindows().stream().map(Layout::name).iterator();
        }
    }

    /** {@code source} or {@code service}. */
    public static final class OfCounterKind implements ITypeConverter<CounterKind> {
        @Override
        public CounterKind convert(String text) {
            try {
                return CounterKind.ofCode(text);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(e.getMessage());
            }
        }
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job;

import io.sluice.filter.plane.Layout;
import io.sluice.flink.OptionRange;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import javax.annotation.Nullable;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.description.TextElement;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.ISetter;
import picocli.CommandLine.Model.OptionSpec;

/**
 * An option of the command line that is made from one of Flink's configuration: it has the meaning,
 * the default and the range of that.
 *
 * @param name on the command line
 * @param label of its value in the help; empty if the option has none, and switches something on
 * @param type of its value
 * @param ownDefault what the job has instead of the default of {@code option}; null for the same
 * @param note what the help says of this job in particular
 */
public record OperatorArgument<T>(
        String name,
        String label,
        ConfigOption<T> option,
        Class<T> type,
        @Nullable T ownDefault,
        String note) {

    private static final Map<Class<?>, ITypeConverter<?>> CONVERTERS =
            Map.of(
                    Duration.class, new Converters.OfDuration(),
                    MemorySize.class, new Converters.OfMemorySize(),
                    Layout.class, new Converters.OfLayout());

    /** An option with a value. */
    public static <T> OperatorArgument<T> of(
            String name, String label, ConfigOption<T> option, Class<T> type) {
        return new OperatorArgument<>(name, label, option, type, null, "");
    }

    /** An option that switches something on. */
    public static OperatorArgument<Boolean> of(String name, ConfigOption<Boolean> option) {
        return of(name, "", option, Boolean.class);
    }

    /** Returns the same with a default of the job's own. */
    public OperatorArgument<T> withDefault(T value) {
        return new OperatorArgument<>(name, label, option, type, value, note);
    }

    /** Returns the same with a sentence more in the help. */
    public OperatorArgument<T> withNote(String sentence) {
        return new OperatorArgument<>(name, label, option, type, ownDefault, " " + sentence);
    }

    /**
     * Returns the option for the command line.
     *
     * @param given where its value is kept
     * @param spelled puts names of the command line in the place of keys
     */
    OptionSpec spec(Configuration given, UnaryOperator<String> spelled) {
        OptionSpec.Builder spec =
                OptionSpec.builder(name)
                        .type(type)
                        .description(spelled.apply(description()))
                        .setter(
                                new ISetter() {
                                    @Override
                                    public <V> V set(V value) {
                                        put(given, value);
                                        return value;
                                    }
                                });
        if (CONVERTERS.containsKey(type)) {
            spec.converters(CONVERTERS.get(type));
        }
        return (label.isEmpty() ? spec.arity("0") : spec.arity("1").paramLabel(label)).build();
    }

    private void put(Configuration given, @Nullable Object value) {
        if (value == null) {
            given.removeConfig(option);
        } else {
            given.set(option, type.cast(value));
        }
    }

    /** Sets the default that the job has instead of the option's. */
    void putDefault(Configuration options) {
        if (ownDefault != null) {
            options.set(option, ownDefault);
        }
    }

    private String description() {
        String meaning =
                option.description().getBlocks().stream()
                        .map(block -> ((TextElement) block).getFormat())
                        .collect(Collectors.joining());
        T shown = ownDefault != null ? ownDefault : option.defaultValue();
        String byDefault =
                shown == null || label.isEmpty()
                        ? ""
                        : " Default: " + OptionRange.text(shown) + ".";
        return meaning + values() + note + byDefault;
    }

    private String values() {
        List<?> values =
                type == Layout.class
                        ? Layout.forWindows()
                        : type.isEnum() ? List.of(type.getEnumConstants()) : List.of();
        return values.isEmpty()
                ? ""
                : values.stream()
                        .map(String::valueOf)
                        .collect(Collectors.joining(", ", " One of ", "."));
    }
}

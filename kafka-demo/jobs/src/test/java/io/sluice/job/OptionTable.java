/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job;

import io.sluice.flink.OptionRange;
import io.sluice.flink.WindowedOptions;
import io.sluice.flink.counter.CounterOptions;
import io.sluice.flink.dedup.DeduplicateOptions;
import io.sluice.flink.flow.FlowOptions;
import io.sluice.flink.machine.MachineOptions;
import io.sluice.flink.reconcile.ReconciliationOptions;
import io.sluice.state.CascadeBackendOptions;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.description.HtmlFormatter;

/**
 * Makes the tables of options in the documentation from the options themselves. {@code main} writes
 * them into the files given as its arguments, between comments that name the class of the options.
 */
final class OptionTable {

    private static final Pattern TABLE =
            Pattern.compile(
                    "(<!-- (\\w+): made by OptionTable, do not edit -->\n)"
                            + ".*?(<!-- end of options -->\n)",
                    Pattern.DOTALL);

    private static final Map<String, Class<?>> OPTIONS =
            Stream.of(
                            CascadeBackendOptions.class,
                            WindowedOptions.class,
                            DeduplicateOptions.class,
                            CounterOptions.class,
                            FlowOptions.class,
                            MachineOptions.class,
                            ReconciliationOptions.class)
                    .collect(Collectors.toMap(Class::getSimpleName, Function.identity()));

    private OptionTable() {}

    /** Returns the names of the classes whose tables a document has, in their order. */
    static List<String> in(String document) {
        return TABLE.matcher(document).results().map(found -> found.group(2)).toList();
    }

    /** Returns the document with its tables made anew. */
    static String renewed(String document) {
        return TABLE.matcher(document)
                .replaceAll(
                        found ->
                                Matcher.quoteReplacement(
                                        found.group(1)
                                                + table(OPTIONS.get(found.group(2)))
                                                + found.group(3)));
    }

    private static String table(Class<?> options) {
        return Arrays.stream(options.getDeclaredFields())
                .filter(field -> Modifier.isPublic(field.getModifiers()))
                .filter(field -> field.getType() == ConfigOption.class)
                .map(field -> row(optionOf(field)))
                .collect(
                        Collectors.joining(
                                "", "| option | default | meaning |\n|---|---|---|\n", ""));
    }

    private static ConfigOption<?> optionOf(Field field) {
        try {
            return (ConfigOption<?>) field.get(null);
        } catch (IllegalAccessException e) {
            throw new AssertionError("the field is public", e);
        }
    }

    private static String row(ConfigOption<?> option) {
        return "| `"
                + option.key()
                + "` | "
                + (option.hasDefaultValue() ? "`" + text(option.defaultValue()) + "`" : "")
                + " | "
                + new HtmlFormatter().format(option.description())
                + " |\n";
    }

    private static String text(Object value) {
        return value instanceof List<?> list
                ? list.stream().map(Object::toString).collect(Collectors.joining(";"))
                : OptionRange.text(value);
    }

    public static void main(String[] args) throws IOException {
        for (String arg : args) {
            Path file = Path.of(arg);
            Files.writeString(file, renewed(Files.readString(file)));
        }
    }
}

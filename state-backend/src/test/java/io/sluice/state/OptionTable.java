/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.description.HtmlFormatter;

/**
 * The table of options in the documentation, made from the options themselves. {@code main} writes
 * it into the file given as its argument.
 */
final class OptionTable {

    private static final String BEGIN = "<!-- options: made by OptionTable, do not edit -->\n";

    private static final String END = "<!-- end of options -->\n";

    private OptionTable() {}

    static String make() {
        StringBuilder table = new StringBuilder("| option | default | meaning |\n|---|---|---|\n");
        Arrays.stream(CascadeBackendOptions.class.getDeclaredFields())
                .filter(field -> Modifier.isPublic(field.getModifiers()))
                .filter(field -> field.getType() == ConfigOption.class)
                .map(OptionTable::optionOf)
                .forEach(option -> table.append(row(option)));
        return table.toString();
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
                : value.toString();
    }

    /** The table as it is in a document. */
    static String in(String document) {
        int begin = document.indexOf(BEGIN) + BEGIN.length();
        return document.substring(begin, document.indexOf(END, begin));
    }

    public static void main(String[] args) throws IOException {
        Path file = Path.of(args[0]);
        String document = Files.readString(file);
        Files.writeString(file, document.replace(BEGIN + in(document), BEGIN + make()));
    }
}

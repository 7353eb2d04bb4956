/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink;

import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.annotation.Nullable;
import org.apache.flink.annotation.PublicEvolving;
import org.apache.flink.configuration.ConfigOption;

/**
 * An option has a value that it cannot have, alone or with another option. The message names
 * options as the builders do; {@link #message} names them as somebody else does, such as a command
 * line.
 */
@PublicEvolving
public final class OptionException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    private final transient Object[] parts;

    /** How a message writes options. */
    @FunctionalInterface
    public interface Names {
        /**
         * Returns the option, with its value unless that is null.
         *
         * @param value of the option, if the message is about that value
         */
        String of(ConfigOption<?> option, @Nullable Object value);
    }

    /** An option and the value that the message is about. */
    public record Setting(ConfigOption<?> option, Object value) {}

    /**
     * Creates the exception.
     *
     * @param parts of the message: a {@link ConfigOption} or a {@link Setting} is written by its
     *     name, a text as it is
     * @throws ClassCastException if a part is something else
     */
    public OptionException(Object... parts) {
        super(join(parts, OptionException::inBuilder));
        this.parts = parts;
    }

    /** Returns the message with other names; not after serialization, which loses the parts. */
    public String message(Names names) {
        return join(parts, names);
    }

    /** Returns the option as a call of a builder: {@code verify}, {@code limit(2)}. */
    public static String inBuilder(ConfigOption<?> option, @Nullable Object value) {
        String[] words = option.key().substring(option.key().lastIndexOf('.') + 1).split("-", -1);
        String name =
                words[0]
                        + Stream.of(words)
                                .skip(1)
                                .map(
                                        word ->
                                                Character.toUpperCase(word.charAt(0))
                                                        + word.substring(1))
                                .collect(Collectors.joining());
        return value == null || value instanceof Boolean ? name : name + "(" + value + ")";
    }

    private static String join(Object[] parts, Names names) {
        StringBuilder text = new StringBuilder();
        for (Object part : parts) {
            text.append(
                    part instanceof ConfigOption<?> option
                            ? names.of(option, null)
                            : part instanceof Setting setting
                                    ? names.of(setting.option(), setting.value())
                                    : (String) part);
        }
        return text.toString();
    }
}

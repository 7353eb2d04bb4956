/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import java.io.Serializable;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.flink.configuration.ConfigOption;

/** A list of name patterns in which {@code *} stands for any characters. Immutable. */
final class StateNames implements Serializable {

    private final List<String> patterns;
    private final Pattern compiled;

    private StateNames(List<String> patterns) {
        this.patterns = patterns;
        this.compiled =
                Pattern.compile(
                        patterns.stream()
                                .map(StateNames::expression)
                                .collect(Collectors.joining("|")));
    }

    /**
     * The names that an option holds.
     *
     * @throws IllegalArgumentException naming the option if one of them is empty
     */
    static StateNames of(ConfigOption<List<String>> option, List<String> patterns) {
        List<String> named = patterns.stream().map(String::trim).toList();
        if (named.stream().anyMatch(String::isEmpty)) {
            throw new IllegalArgumentException(
                    option.key()
                            + " holds an empty name: "
                            + patterns
                            + ". Separate names by one ';'.");
        }
        return new StateNames(List.copyOf(named));
    }

    boolean contains(String name) {
        return !patterns.isEmpty() && compiled.matcher(name).matches();
    }

    private static String expression(String pattern) {
        return Pattern.compile("\\*")
                .splitAsStream(pattern + "\0")
                .map(part -> part.replace("\0", ""))
                .map(Pattern::quote)
                .collect(Collectors.joining(".*"));
    }

    @Override
    public String toString() {
        return String.join(";", patterns);
    }
}

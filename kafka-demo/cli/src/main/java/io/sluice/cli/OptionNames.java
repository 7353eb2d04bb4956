/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import java.util.Map;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Names in errors: builders name their own parts, but the user gave an option. */
final class OptionNames {
    private OptionNames() {}

    /**
     * What {@code build} returns.
     *
     * @param options by the names that the builder uses
     * @throws IllegalArgumentException as {@code build} throws it, with the names of the options
     */
    static <T> T spelled(Map<String, String> options, Supplier<T> build) {
        try {
            return build.get();
        } catch (IllegalArgumentException e) {
            Matcher word = Pattern.compile("\\b[a-zA-Z]\\w+\\b").matcher(e.getMessage());
            String message =
                    word.replaceAll(
                            found ->
                                    Matcher.quoteReplacement(
                                            options.getOrDefault(found.group(), found.group())));
            throw new IllegalArgumentException(message, e);
        }
    }
}

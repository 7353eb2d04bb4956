/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.message;

import io.sluice.job.JobArguments;
import io.sluice.kafka.Brokers;
import io.sluice.kafka.InputTopics;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import javax.annotation.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The options that say which topics a job reads. */
public final class InputArguments {
    @Option(
            names = JobArguments.INPUT_TOPIC,
            split = ",",
            paramLabel = "TOPIC,...",
            description = "Topics to read, together.")
    private List<String> names = List.of();

    @Option(
            names = JobArguments.INPUT_TOPIC_PATTERN,
            converter = OfPattern.class,
            paramLabel = "REGEX",
            description =
                    "In place of --input-topic: every topic whose whole name matches this regular"
                            + " expression of Java, also one that is made while the job runs, which"
                            + " is read from its beginning. No topic that the job writes may"
                            + " match.")
    private @Nullable Pattern pattern;

    /** Those that match; null until the broker was asked. */
    private @Nullable List<String> matching;

    /** A regular expression. */
    static final class OfPattern implements ITypeConverter<Pattern> {
        @Override
        public Pattern convert(String text) {
            try {
                return Pattern.compile(text);
            } catch (PatternSyntaxException e) {
                throw new TypeConversionException(
                        "'"
                                + text
                                + "' is not a regular expression ("
                                + e.getDescription()
                                + "): correct it, such as 'orders-.*'");
            }
        }
    }

    /** Returns arguments that name one topic. */
    public static InputArguments of(String topic) {
        InputArguments arguments = new InputArguments();
        arguments.names = List.of(topic);
        return arguments;
    }

    /** Returns whether the topics are named or described. */
    public boolean areGiven() {
        return !names.isEmpty() || pattern != null;
    }

    /** Returns whether they are described by a pattern. */
    public boolean arePattern() {
        return pattern != null;
    }

    /**
     * Returns the topics that are named; none where there is a pattern.
     *
     * @throws IllegalArgumentException if there is neither or both
     */
    public List<String> named() {
        if (names.isEmpty() == (pattern == null)) {
            throw new IllegalArgumentException(
                    "give either "
                            + JobArguments.INPUT_TOPIC
                            + " TOPIC or "
                            + JobArguments.INPUT_TOPIC_PATTERN
                            + " REGEX, what to read");
        }
        return names;
    }

    /** Returns the topics to read. */
    InputTopics toRead() {
        return pattern == null ? InputTopics.named(names) : InputTopics.matching(pattern);
    }

    /** Returns the topics to read that are there when this is first asked. */
    List<String> present(Brokers brokers) {
        if (pattern == null) {
            return names;
        }
        if (matching == null) {
            try {
                matching = toRead().present(brokers).keySet().stream().sorted().toList();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return matching;
    }
}

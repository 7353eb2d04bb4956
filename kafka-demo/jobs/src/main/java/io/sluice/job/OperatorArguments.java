/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job;

import io.sluice.flink.OptionException;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import javax.annotation.Nullable;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ReadableConfig;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * The options of an operator on the command line. What is given there becomes a configuration,
 * which the operator's builder reads and checks.
 */
@Command
public final class OperatorArguments {
    private final List<OperatorArgument<?>> arguments;
    private final Configuration given = new Configuration();

    /** Options that a command line may have, in the order of its help. */
    public OperatorArguments(List<OperatorArgument<?>> arguments) {
        this.arguments = List.copyOf(arguments);
    }

    /** Adds them to a command; the library of the command line calls it. */
    @Spec(Spec.Target.MIXEE)
    public void addTo(CommandSpec command) {
        for (OperatorArgument<?> argument : arguments) {
            command.addOption(argument.spec(given, this::spelled));
        }
    }

    /** What was given, and the defaults that are the job's own. */
    public Configuration options() {
        Configuration options = new Configuration();
        arguments.forEach(argument -> argument.putDefault(options));
        options.addAll(given);
        return options;
    }

    /** The value of an option; its default if it was not given, or the job's own. */
    public <T> T get(ConfigOption<T> option) {
        return options().get(option);
    }

    /** Whether the command line has it. */
    public boolean isGiven(ConfigOption<?> option) {
        return given.contains(option);
    }

    /**
     * Checks the options as the operator does.
     *
     * @param operator takes the options, and checks them
     * @throws IllegalArgumentException with the names of the command line
     */
    public void check(Consumer<ReadableConfig> operator) {
        try {
            operator.accept(options());
        } catch (OptionException e) {
            throw new IllegalArgumentException(e.message(this::name), e);
        }
    }

    /** Returns an option as the command line has it, with its value unless that is null. */
    public String name(ConfigOption<?> option, @Nullable Object value) {
        String name =
                arguments.stream()
                        .filter(argument -> argument.option().equals(option))
                        .map(OperatorArgument::name)
                        .findFirst()
                        .orElseGet(() -> OptionException.inBuilder(option, null));
        return value == null || value instanceof Boolean
                ? name
                : name + " " + value.toString().toLowerCase(Locale.ROOT);
    }

    private String spelled(String text) {
        String spelled = text;
        for (OperatorArgument<?> argument : arguments) {
            spelled = spelled.replace(argument.option().key(), argument.name());
        }
        return spelled;
    }
}

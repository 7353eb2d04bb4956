/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.sql;

import java.util.List;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.functions.UserDefinedFunction;
import org.apache.flink.table.types.inference.CallContext;
import org.apache.flink.table.types.inference.StaticArgument;
import org.apache.flink.table.types.inference.StaticArgumentTrait;

/** {@code DEDUPLICATE_WINDOW}: one final row of each key and window, once the window is over. */
final class DeduplicateWindowDefinition extends Definition {

    static final String NAME = "DEDUPLICATE_WINDOW";

    private static final List<StaticArgument> ARGUMENTS =
            List.of(
                    input(StaticArgumentTrait.REQUIRE_ON_TIME),
                    StaticArgument.scalar(Arguments.KEEP, DataTypes.STRING(), true),
                    StaticArgument.scalar(Arguments.DURATION, Arguments.INTERVAL, true),
                    StaticArgument.scalar(Arguments.INACTIVITY, Arguments.INTERVAL, true),
                    StaticArgument.scalar(Arguments.SEQUENCE_BY, DataTypes.DESCRIPTOR(), true),
                    StaticArgument.scalar(Arguments.STATE_TTL, Arguments.INTERVAL, true));

    DeduplicateWindowDefinition() {
        super(NAME, ARGUMENTS);
    }

    @Override
    void check(Arguments call) {
        call.keep();
        lengths(call);
        Input input = call.input();
        call.checkTime(input);
        call.sequence(input);
        call.stateTtl();
    }

    private static WindowLengths lengths(Arguments call) {
        long duration = call.positiveMillis(Arguments.DURATION);
        long inactivity = call.positiveMillis(Arguments.INACTIVITY);
        if (duration == 0 && inactivity == 0) {
            throw call.invalid(
                    Arguments.DURATION,
                    "is missing, and so is 'inactivity'",
                    "Write duration => INTERVAL '10' MINUTE for windows of that length, inactivity"
                            + " => INTERVAL '1' MINUTE for windows that end when a key is silent,"
                            + " or both.");
        }
        return new WindowLengths(duration, inactivity);
    }

    @Override
    public UserDefinedFunction specialize(SpecializedContext context) {
        CallContext call = context.getCallContext();
        Arguments arguments = arguments(call);
        Input input = arguments.input();
        return new WindowFunction(
                call,
                input,
                arguments.stateTtl().orElse(SpecializedTableFunction.FOR_EVER),
                lengths(arguments),
                new Sequence(
                        arguments.keep(), input, arguments.sequence(input), WindowFunction.TIMES));
    }
}

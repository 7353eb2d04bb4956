/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.sql;

import java.time.Duration;
import java.util.List;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.functions.UserDefinedFunction;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.inference.CallContext;
import org.apache.flink.table.types.inference.StaticArgument;
import org.apache.flink.table.types.inference.StaticArgumentTrait;

/**
 * {@code DEDUPLICATE_KEEP_FIRST}: the first row of each key, by arrival or, with {@code on_time},
 * by event time. Its output never has updates, so whatever takes only inserts may follow. Without
 * {@code PARTITION BY} all rows are of one key.
 */
final class KeepFirstDefinition extends Definition {

    static final String NAME = "DEDUPLICATE_KEEP_FIRST";

    private static final List<StaticArgument> ARGUMENTS =
            List.of(
                    input(
                            StaticArgumentTrait.SUPPORT_UPDATES,
                            StaticArgumentTrait.OPTIONAL_PARTITION_BY),
                    StaticArgument.scalar(Arguments.STATE_TTL, Arguments.INTERVAL, true),
                    StaticArgument.scalar(
                            Arguments.RESET_TTL_ON_DUPLICATE, DataTypes.BOOLEAN(), true));

    KeepFirstDefinition() {
        super(NAME, ARGUMENTS);
    }

    @Override
    void check(Arguments call) {
        call.checkTime(call.inputOfOneKeyToo());
        call.stateTtl();
        call.resetTtlOnDuplicate();
    }

    @Override
    DataType output(Arguments call) {
        return call.inputOfOneKeyToo().row();
    }

    @Override
    public UserDefinedFunction specialize(SpecializedContext context) {
        CallContext call = context.getCallContext();
        Arguments arguments = arguments(call);
        Input input = arguments.inputOfOneKeyToo();
        Duration ttl = arguments.timeToLive(context.getConfiguration());
        boolean resets = arguments.resetsTimeToLive(context.getConfiguration());
        return arguments.hasTime()
                ? new FirstInTimeFunction(call, input, ttl, resets)
                : new FirstToArriveFunction(call, input, ttl, resets);
    }
}

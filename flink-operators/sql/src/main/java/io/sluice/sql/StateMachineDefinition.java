/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.sql;

import java.util.List;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.functions.UserDefinedFunction;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.inference.CallContext;
import org.apache.flink.table.types.inference.StaticArgument;
import org.apache.flink.table.types.inference.StaticArgumentTrait;

/** {@code STATE_MACHINE}: what happens to the state machine of each key. */
final class StateMachineDefinition extends Definition {

    static final String NAME = "STATE_MACHINE";

    private static final List<StaticArgument> ARGUMENTS =
            List.of(
                    input(StaticArgumentTrait.REQUIRE_ON_TIME),
                    StaticArgument.scalar(Arguments.EVENT, DataTypes.DESCRIPTOR(), false),
                    StaticArgument.scalar(Arguments.MACHINE, DataTypes.STRING(), false));

    StateMachineDefinition() {
        super(NAME, ARGUMENTS);
    }

    @Override
    void check(Arguments call) {
        Input input = call.inputInAnyOrder();
        call.checkTime(input);
        call.event(input);
        call.machine();
        for (String column : MachineRow.COLUMNS) {
            if (input.keys().contains(column)) {
                throw call.invalid(
                        Arguments.INPUT,
                        "has PARTITION BY '"
                                + column
                                + "', and the function returns a column of that name",
                        "Rename it in a view.");
            }
        }
    }

    @Override
    DataType output(Arguments call) {
        return MachineRow.TYPE;
    }

    @Override
    public UserDefinedFunction specialize(SpecializedContext context) {
        CallContext call = context.getCallContext();
        Arguments arguments = arguments(call);
        Input input = arguments.inputInAnyOrder();
        return new StateMachineFunction(call, input, arguments.machine(), arguments.event(input));
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.sql;

import java.time.Duration;
import java.util.List;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.functions.ChangelogFunction;
import org.apache.flink.table.functions.UserDefinedFunction;
import org.apache.flink.table.types.inference.CallContext;
import org.apache.flink.table.types.inference.StaticArgument;
import org.apache.flink.table.types.inference.StaticArgumentTrait;
import org.apache.flink.types.RowKind;

/** {@code DEDUPLICATE}: one row of each key, for as long as its state lives. */
final class DeduplicateDefinition extends Definition implements ChangelogFunction {

    static final String NAME = "DEDUPLICATE";

    private static final List<StaticArgument> ARGUMENTS =
            List.of(
                    input(StaticArgumentTrait.SUPPORT_UPDATES),
                    StaticArgument.scalar(Arguments.KEEP, DataTypes.STRING(), true),
                    StaticArgument.scalar(Arguments.SEQUENCE_BY, DataTypes.DESCRIPTOR(), true),
                    StaticArgument.scalar(Arguments.STATE_TTL, Arguments.INTERVAL, true),
                    StaticArgument.scalar(
                            Arguments.RESET_TTL_ON_DUPLICATE, DataTypes.BOOLEAN(), true));

    DeduplicateDefinition() {
        super(NAME, ARGUMENTS);
    }

    @Override
    void check(Arguments call) {
        call.keep();
        call.sequence(call.input());
        call.refuseTime();
        call.stateTtl();
        call.resetTtlOnDuplicate();
    }

    /**
     * The arguments are not known here. So a sink that takes only inserts gets only inserts, and a
     * call that cannot do so is refused when it is specialized; everybody else is told to expect
     * updates. Of an input that updates, only calls are taken that put out inserts.
     */
    @Override
    public ChangelogMode getChangelogMode(ChangelogContext context) {
        ChangelogMode required = context.getRequiredChangelogMode();
        ChangelogMode input = context.getTableChangelogMode(0);
        if (required == null
                || required.containsOnly(RowKind.INSERT)
                || !input.containsOnly(RowKind.INSERT)) {
            return ChangelogMode.insertOnly();
        }
        ChangelogMode.Builder mode =
                ChangelogMode.newBuilder()
                        .addContainedKind(RowKind.INSERT)
                        .addContainedKind(RowKind.UPDATE_AFTER);
        if (required.contains(RowKind.UPDATE_BEFORE)) {
            mode.addContainedKind(RowKind.UPDATE_BEFORE);
        }
        return mode.build();
    }

    @Override
    public UserDefinedFunction specialize(SpecializedContext context) {
        CallContext call = context.getCallContext();
        Arguments arguments = arguments(call);
        Input input = arguments.input();
        RowToKeep keep = arguments.keep();
        int[] sequence = arguments.sequence(input);
        Duration ttl = arguments.timeToLive(context.getConfiguration());
        boolean resets = arguments.resetsTimeToLive(context.getConfiguration());
        if (keep == RowToKeep.FIRST && sequence.length == 0) {
            return new FirstRowFunction(call, input, ttl, resets);
        }
        arguments.requireInserts();
        call.getOutputChangelogMode()
                .filter(mode -> mode.containsOnly(RowKind.INSERT))
                .ifPresent(
                        mode -> {
                            throw onlyInserts(keep);
                        });
        return new BestRowFunction(
                call,
                input,
                ttl,
                arguments.timeToLiveOfKeptRow(context.getConfiguration()),
                resets,
                new Sequence(keep, input, sequence, 0));
    }

    private static ValidationException onlyInserts(RowToKeep keep) {
        return new ValidationException(
                NAME
                        + ": "
                        + (keep == RowToKeep.LAST
                                ? "keep => 'last'"
                                : "keep => 'first' with sequence_by")
                        + " updates a row that it has put out when a better one comes, but what"
                        + " follows takes only inserts. Write to a table with a primary key that"
                        + " takes updates, or use DEDUPLICATE_WINDOW, which puts out one final row,"
                        + " or keep => 'first' without sequence_by.");
    }
}

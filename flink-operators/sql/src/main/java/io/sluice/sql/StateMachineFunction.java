/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.sql;

import io.sluice.flink.machine.MachineDefinition;
import io.sluice.flink.machine.MachineReport.Kind;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;
import org.apache.flink.metrics.Counter;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.functions.FunctionContext;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.inference.CallContext;
import org.apache.flink.types.ColumnList;
import org.apache.flink.types.Row;

/**
 * Follows the machine of each key, exactly: the name of its state and the time of its last event
 * are in Flink's state. Rows are events in the order in which they arrive, unless the call orders
 * them; their times decide only whether a machine has timed out.
 */
@Internal
public final class StateMachineFunction extends EventTimeFunction {

    static final String MACHINE = "sluice_machine";
    static final String SKIPPED = "skipped";

    private static final DataType TYPE =
            DataTypes.ROW(
                    DataTypes.FIELD("state", DataTypes.STRING()),
                    DataTypes.FIELD("last", DataTypes.BIGINT()));

    private static final int STATE = 0;
    private static final int LAST = 1;

    private final MachineDefinition machine;
    private final int eventColumn;

    private transient Counter skipped;

    /**
     * @param eventColumn among those that are not keys
     */
    StateMachineFunction(
            CallContext call, Input input, MachineDefinition machine, int eventColumn) {
        super(StateMachineDefinition.NAME, call, input, MachineRow.TYPE);
        this.machine = machine;
        this.eventColumn = eventColumn;
        state(MACHINE, TYPE, FOR_EVER);
    }

    @Override
    public void open(FunctionContext context) throws Exception {
        super.open(context);
        skipped = context.getMetricGroup().addGroup(METRICS).counter(SKIPPED);
    }

    /** Called by generated code; the scalar arguments were read by the planner. */
    public void eval(
            Context context,
            Row held,
            RowData input,
            @Nullable ColumnList event,
            @Nullable StringData text) {
        TimeContext<Long> clock = context.timeContext(Long.class);
        countRow(clock);
        RowData columns = columns(input);
        if (columns.isNullAt(eventColumn)) {
            skipped.inc();
            return;
        }
        long time = clock.time();
        if (hasPassed(time, clock)) {
            countLate();
        }
        timeOut(held, time);
        follow(clock, held, columns.getString(eventColumn).toString(), time);
        clearIfNotHeld(context, held);
    }

    private void follow(TimeContext<Long> clock, Row held, String event, long time) {
        int from = stateOf(held);
        String name = machine.states().get(from);
        int code = machine.event(event);
        int to = code < 0 ? MachineDefinition.ILLEGAL : machine.next(from, code);
        if (to == MachineDefinition.ILLEGAL) {
            collect(MachineRow.of(Kind.ILLEGAL, name, event, name, null));
            return;
        }
        String output = machine.output(from, code).orElse(null);
        boolean finishes = machine.isTerminal(to) && !machine.isTerminal(from);
        Kind kind = finishes ? Kind.FINISHED : output != null ? Kind.OUTPUT : Kind.TRANSITION;
        collect(MachineRow.of(kind, name, event, machine.states().get(to), output));
        if (!machine.isHeld(to)) {
            forget(held);
            return;
        }
        long last = time;
        if (held.getField(LAST) instanceof Long before) {
            // A row that is out of order does not take back the time of a later one.
            last = staysEnded(from, to) ? before : Math.max(before, time);
        }
        held.setField(STATE, machine.states().get(to));
        held.setField(LAST, last);
        clock.registerOnTime(over(to, last));
    }

    /** Whether a row trails an ended machine, which is held for its time from its end on. */
    private boolean staysEnded(int from, int to) {
        return machine.isTerminal(from)
                && machine.isTerminal(to)
                && machine.timeToLive(from).equals(machine.timeToLive(to));
    }

    /** Called by generated code. */
    public void onTimer(OnTimerContext context, Row held) {
        long time = context.timeContext(Long.class).time();
        firedAt(time);
        timeOut(held, time);
        clearIfNotHeld(context, held);
    }

    /** Ends the machine if it has been idle for longer than its state allows. */
    private void timeOut(Row held, long time) {
        if (held.getField(STATE) == null) {
            return;
        }
        int state = stateOf(held);
        if (machine.isHeld(state) && time < over(state, held.<Long>getFieldAs(LAST))) {
            return;
        }
        if (!machine.isTerminal(state)) {
            collect(MachineRow.of(Kind.TIMED_OUT, null, null, machine.states().get(state), null));
        }
        forget(held);
    }

    private static void forget(Row held) {
        held.setField(STATE, null);
        held.setField(LAST, null);
    }

    /** Last of all: Flink does not write what is set after a state was cleared. */
    private static void clearIfNotHeld(Context context, Row held) {
        if (held.getField(STATE) == null) {
            context.clearState(MACHINE);
        }
    }

    /** Returns the first time at which a machine has timed out. */
    private long over(int state, long last) {
        return last + machine.timeToLive(state).orElseThrow().toMillis() + 1;
    }

    private int stateOf(Row held) {
        String name = held.getFieldAs(STATE);
        if (name == null) {
            return machine.initial();
        }
        int state = machine.state(name);
        if (state == MachineDefinition.ILLEGAL) {
            throw new IllegalStateException(
                    StateMachineDefinition.NAME
                            + ": the state has a machine in '"
                            + name
                            + "', which machine '"
                            + machine.name()
                            + "' does not have any more: declare it again, or start with another"
                            + " uid.");
        }
        return state;
    }
}

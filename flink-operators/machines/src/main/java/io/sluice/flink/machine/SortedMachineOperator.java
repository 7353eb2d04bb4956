/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.TimeDomain;
import io.sluice.flink.machine.store.OneMachineStore;
import io.sluice.flink.machine.store.StoreMemory;
import io.sluice.flink.runtime.SortedOperator;
import org.apache.flink.streaming.api.operators.BoundedOneInput;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Follows machines whose events are sorted by key, and by timestamp within a key: exact, with one
 * machine in memory and no state. No event is late. A machine times out when its own next event
 * shows that it was idle for too long; one that is open when its events end is reported as open at
 * the end of the input. In processing time the whole input comes at one time.
 *
 * @param <T> type of the records
 * @param <K> type of the keys
 */
final class SortedMachineOperator<T, K> extends SortedOperator<T, MachineReport>
        implements BoundedOneInput {

    private final MachineInput<T, K> input;
    private final MachineSettings settings;

    private transient OneMachineStore store;
    private transient MachineGroup group;
    private transient MachineReports reports;
    private transient MachineMetrics machineMetrics;
    private transient String description;
    private transient long id;

    SortedMachineOperator(MachineInput<T, K> input, MachineSettings settings) {
        this.input = requireNonNull(input, "input");
        this.settings = requireNonNull(settings, "settings");
    }

    @Override
    public void open() throws Exception {
        super.open();
        description = describe();
        reports = new MachineReports(settings, new Emission<>(output));
        machineMetrics = new MachineMetrics(getMetricGroup(), StoreMemory.unlimited());
        store = new OneMachineStore(settings.stores().times());
        group = new MachineGroup(settings.machine(), store, new MachineCounts(), reports::timedOut);
    }

    @Override
    public void processElement(StreamRecord<T> record) throws Exception {
        T value = record.getValue();
        String event = input.events().event(value);
        if (event == null) {
            machineMetrics.countSkipped();
            return;
        }
        boolean isEventTime = settings.time().domain() == TimeDomain.EVENT;
        long millis = isEventTime ? FollowedTime.of(record, () -> description) : 0;
        K key = input.keys().getKey(value);
        long next = input.hasher().hash(key);
        if (next != id) {
            endMachine();
            id = next;
        }
        int number = settings.machine().event(event);
        if (group.follow(id, number, millis)) {
            reports.followed(group, id, key, event, number, millis);
        }
    }

    /** The key has no more events. */
    private void endMachine() {
        group.forEachOpen(reports::open, machineMetrics::countOpenAtEnd);
        store.clear();
    }

    @Override
    public void processWatermark(Watermark mark) throws Exception {
        endMachine();
        super.processWatermark(mark);
    }

    @Override
    public void endInput() {
        endMachine();
    }

    @Override
    public void finish() throws Exception {
        super.finish();
        long unused = machineMetrics.refresh(action -> action.accept(group));
    }
}

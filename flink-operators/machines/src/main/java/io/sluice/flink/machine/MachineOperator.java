/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.OnLate;
import io.sluice.flink.machine.store.StoreMemory;
import io.sluice.flink.machine.store.StoreSettings;
import io.sluice.flink.runtime.HashedId;
import io.sluice.flink.runtime.IdsIdentity;
import io.sluice.flink.runtime.KeyGroupedState;
import io.sluice.flink.runtime.StateIdentity;
import java.io.IOException;

/**
 * Follows the machines of each key group in a {@link MachineGroup}.
 *
 * @param <T> type of the records
 * @param <K> type of the keys
 */
final class MachineOperator<T, K> extends FollowingOperator<T, MachineReport, MachineGroup> {

    /** What the layout of its state begins with. */
    static final String LAYOUT = "machines, ";

    private final MachineInput<T, K> input;
    private final MachineSettings settings;

    private transient HashedId hashed;
    private transient MachineMetrics machineMetrics;
    private transient MachineReports reports;

    /** The event of the present record. */
    private transient String event;

    MachineOperator(MachineInput<T, K> input, MachineSettings settings, OnLate<T> onLate) {
        super(settings.stores(), settings.time(), onLate);
        this.input = requireNonNull(input, "input");
        this.settings = settings;
    }

    @Override
    protected String layout() {
        return LAYOUT + "store=" + stores().kind() + ", timeDomain=" + settings.time().domain();
    }

    @Override
    protected StateIdentity identity() throws IOException {
        return IdsIdentity.ofHashed(getUserCodeClassloader(), input.hasher());
    }

    @Override
    protected KeyGroupedState.Handler<MachineGroup> createHandler(StoreSettings.Stores stores) {
        return new MachineGroupFormat(
                settings.machine(),
                settings.renamed(),
                stores,
                (id, state, millis) -> reports.timedOut(id, state, millis));
    }

    @Override
    protected MachineDefinition definition() {
        return settings.machine();
    }

    @Override
    protected FollowingMetrics createMetrics(StoreMemory memory, Emission<MachineReport> emission) {
        hashed = new HashedId();
        reports = new MachineReports(settings, emission);
        machineMetrics = new MachineMetrics(getMetricGroup(), memory);
        return machineMetrics;
    }

    @Override
    protected long refreshCounts() {
        return machineMetrics.refresh(groups()::forEach);
    }

    @Override
    protected boolean isEvent(T record) throws Exception {
        event = input.events().event(record);
        return event != null;
    }

    @Override
    protected void follow(T record, long millis) throws Exception {
        K key = input.keys().getKey(record);
        input.hasher().hash(key, hashed);
        MachineGroup group = groups().get(keyGroupOf(hashed.keyHashCode()));
        int number = settings.machine().event(event);
        boolean isFollowed = group.follow(hashed.hash(), number, millis);
        if (isFollowed) {
            reports.followed(group, hashed.hash(), key, event, number, millis);
        } else if (group.isAmbiguous()) {
            reports.ambiguous(hashed.hash(), key, event, millis);
        }
        watch(hashed.hash(), number, millis, isFollowed ? group.from() : -1);
    }

    @Override
    protected void reportOpen() {
        groups().forEach(group -> group.forEachOpen(reports::open, machineMetrics::countOpenAtEnd));
    }
}

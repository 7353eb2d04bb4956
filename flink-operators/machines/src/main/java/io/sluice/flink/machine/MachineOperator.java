/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.OnLate;
import io.sluice.flink.machine.store.StoreKind;
import io.sluice.flink.machine.store.StoreMemory;
import io.sluice.flink.machine.store.StoreSettings;
import io.sluice.flink.runtime.HashedId;
import io.sluice.flink.runtime.IdsIdentity;
import io.sluice.flink.runtime.KeyGroupedState;
import io.sluice.flink.runtime.StateIdentity;
import java.io.IOException;
import javax.annotation.Nullable;
import org.apache.flink.runtime.state.StateInitializationContext;

/**
 * Follows the machines of each key group in a {@link MachineGroup}.
 *
 * @param <T> type of the records
 * @param <K> type of the keys
 */
final class MachineOperator<T, K> extends FollowingOperator<T, MachineReport, MachineGroup> {

    /** The exact sample has this part of the memory more. */
    private static final long SHADOW_PART = 32;

    private static final long LEAST_SHADOW = 1 << 16;

    private final MachineInput<T, K> input;
    private final MachineSettings settings;

    private transient HashedId hashed;
    private transient MachineMetrics machineMetrics;
    private transient MachineReports reports;

    /** Null if the store is exact. */
    private transient @Nullable MachineShadow shadow;

    private transient boolean isRestored;

    /** The event of the present record. */
    private transient String event;

    MachineOperator(MachineInput<T, K> input, MachineSettings settings, OnLate<T> onLate) {
        super(settings.stores(), settings.time(), onLate);
        this.input = requireNonNull(input, "input");
        this.settings = settings;
    }

    @Override
    protected String layout() {
        return "machines, store=" + stores().kind() + ", timeDomain=" + settings.time().domain();
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
    public void initializeState(StateInitializationContext context) throws Exception {
        isRestored = context.isRestored();
        super.initializeState(context);
    }

    @Override
    protected FollowingMetrics createMetrics(StoreMemory memory, Emission<MachineReport> emission) {
        hashed = new HashedId();
        reports = new MachineReports(settings, emission);
        machineMetrics = new MachineMetrics(getMetricGroup(), memory);
        shadow = null;
        if (stores().kind() != StoreKind.EXACT) {
            long cap = Math.max(LEAST_SHADOW, stores().memory().getBytes() / SHADOW_PART);
            shadow = new MachineShadow(settings.machine(), stores().times(), cap, isRestored);
            machineMetrics.showError();
        }
        return machineMetrics;
    }

    @Override
    protected long refreshCounts() {
        return machineMetrics.refresh(groups()::forEach, shadow);
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
        if (shadow != null && shadow.contains(hashed.hash())) {
            shadow.follow(hashed.hash(), number, millis, isFollowed ? group.from() : -1);
        }
    }

    @Override
    protected void advanced(long nextWatermark, long latestBelieved) {
        if (shadow != null) {
            shadow.advance(nextWatermark, latestBelieved);
        }
    }

    @Override
    protected void reportOpen() {
        groups().forEach(group -> group.forEachOpen(reports::open, machineMetrics::countOpenAtEnd));
    }
}

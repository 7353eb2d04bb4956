/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.OnLate;
import io.sluice.flink.machine.Emission;
import io.sluice.flink.machine.FollowingMetrics;
import io.sluice.flink.machine.FollowingOperator;
import io.sluice.flink.machine.MachineDefinition;
import io.sluice.flink.machine.store.StateStore;
import io.sluice.flink.machine.store.StoreMemory;
import io.sluice.flink.machine.store.StoreSettings;
import io.sluice.flink.machine.store.StoreSizing;
import io.sluice.flink.runtime.KeyGroupedState;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import javax.annotation.Nullable;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.util.OutputTag;

/**
 * Follows the flows of each key group with its own {@link FlowTracker}.
 *
 * @param <T> type of the records
 */
final class FlowOperator<T> extends FollowingOperator<T, FinishedFlow, FlowTracker> {

    /** What the layout of its state begins with. */
    static final String LAYOUT = "flows, ";

    private final TcpView<T> view;
    private final FlowSettings settings;
    @Nullable private final OutputTag<FlowAlert> alerts;

    private transient FlowMetrics flowMetrics;
    private transient FlowReports reports;
    private transient ConnectionMachine connection;

    FlowOperator(
            TcpView<T> view,
            FlowSettings settings,
            OnLate<T> onLate,
            @Nullable OutputTag<FlowAlert> alerts) {
        super(settings.stores(), settings.time(), onLate);
        this.view = requireNonNull(view, "view");
        this.settings = settings;
        this.alerts = alerts;
    }

    @Override
    protected String layout() {
        return LAYOUT
                + "store="
                + stores().kind()
                + ", flow="
                + view.scheme()
                + (settings.reopens() ? "" : ", never reopened")
                + (settings.totals() ? ", totals" : "");
    }

    @Override
    protected MachineDefinition definition() {
        return connection.definition();
    }

    @Override
    protected KeyGroupedState.Handler<FlowTracker> createHandler(StoreSettings.Stores stores) {
        connection = new ConnectionMachine(settings.reopens());
        return new Handler(
                connection,
                stores,
                (flow, state, millis, totals) -> reports.timedOut(flow, state, millis, totals),
                settings.totals() ? memoryOfTotals() : null);
    }

    private StoreMemory memoryOfTotals() {
        TaskInfo task = getRuntimeContext().getTaskInfo();
        return new StoreMemory(
                stores().keptBytes(),
                stores().whenFull(),
                StoreSizing.of(stores(), task).keyGroups());
    }

    @Override
    protected FollowingMetrics createMetrics(StoreMemory memory, Emission<FinishedFlow> emission) {
        reports = new FlowReports(emission, alerts);
        flowMetrics = new FlowMetrics(getMetricGroup(), memory);
        return flowMetrics;
    }

    @Override
    protected long refreshCounts() {
        flowMetrics.refresh(groups()::forEach);
        return flowMetrics.packets();
    }

    @Override
    protected boolean isEvent(T packet) {
        return view.isSegment(packet);
    }

    @Override
    protected void follow(T packet, long millis) {
        long flow = view.flow(packet);
        int flags = view.flags(packet);
        FlowTracker tracker = groups().get(keyGroupOf(Long.hashCode(flow)));
        boolean fromLower = view.fromLower(packet);
        int transition = tracker.follow(flow, fromLower, flags, millis);
        boolean isFollowed = transition >= 0;
        watch(flow, TcpFlags.event(fromLower, flags), millis, isFollowed ? tracker.from() : -1);
        if (isFollowed) {
            boolean needsEnds = ConnectionMachine.ends(transition) || tracker.needsEnds(transition);
            Endpoints ends = needsEnds ? view.endpoints(packet) : null;
            FlowTotals totals =
                    tracker.keepsTotals()
                            ? tracker.count(
                                    transition,
                                    flow,
                                    fromLower,
                                    1,
                                    view.bytes(packet),
                                    millis,
                                    ends)
                            : null;
            reports.followed(flow, flags, transition, millis, ends, totals);
        }
        reports.packet(flow, flags, millis);
    }

    @Override
    protected void reportOpen() {
        groups().forEach(
                        tracker ->
                                tracker.forEachOpen(
                                        reports::openAtEnd, flowMetrics::countOpenAtEnd));
    }

    /**
     * Makes, writes and reads the trackers of key groups.
     *
     * @param ofTotals the memory of the totals; null to keep none
     */
    private record Handler(
            ConnectionMachine connection,
            StoreSettings.Stores stores,
            FlowTracker.TimedOut timedOut,
            @Nullable StoreMemory ofTotals)
            implements KeyGroupedState.Handler<FlowTracker> {

        @Override
        public FlowTracker create() {
            return new FlowTracker(
                    connection,
                    stores.create(),
                    new FlowCounts(),
                    timedOut,
                    ofTotals == null ? null : new TotalsTable(ofTotals));
        }

        @Override
        public void write(FlowTracker tracker, OutputStream out) throws IOException {
            tracker.writeTo(out);
        }

        @Override
        public FlowTracker read(InputStream in, String source) throws IOException {
            FlowCounts counts = FlowCounts.readFrom(in, source);
            StateStore store = stores.read(in, source);
            TotalsTable totals =
                    ofTotals == null ? null : TotalsTable.readFrom(in, source, ofTotals);
            return new FlowTracker(connection, store, counts, timedOut, totals).checked(source);
        }
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import io.sluice.filter.hash.Hashing;
import io.sluice.filter.rateless.ExchangeKey;
import io.sluice.flink.reconcile.message.Message;
import io.sluice.flink.reconcile.message.MessageKind;
import io.sluice.flink.reconcile.message.Phase;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ScheduledFuture;
import javax.annotation.Nullable;
import org.apache.flink.api.common.operators.ProcessingTimeService;

/**
 * One replica in memory, with one key group, as the operator would run it: reads records and a log
 * of the peer's messages, takes checkpoints of everything, publishes when they complete, and can be
 * killed, which takes it back to the last completed one.
 */
final class Replica {

    /** Long ids make repairs of several parts. */
    private static final int ID_BYTES = 48;

    /** Everything that a checkpoint keeps. */
    private static final class State {
        private final Map<Long, TreeMap<Long, Host.Element>> elements = new TreeMap<>();
        private final Map<Long, byte[]> exchanges = new TreeMap<>();
        private final List<byte[]> outbox = new ArrayList<>();
        private final List<WindowReport> reports = new ArrayList<>();
        private final List<WindowReport> suspended = new ArrayList<>();
        private final Map<Long, Map<Long, Long>> finals = new TreeMap<>();
        private final Map<Long, Map<Long, Long>> repairs = new TreeMap<>();
        private long watermark = GroupExchanges.NONE;
        private final Map<Long, Long> forgotten = new TreeMap<>();
        private int recordsRead;
        private int messagesRead;

        /** In the order of the input: which records were in time. */
        private final List<Boolean> inTime = new ArrayList<>();

        State copy() {
            State copy = new State();
            elements.forEach((window, all) -> copy.elements.put(window, new TreeMap<>(all)));
            copy.exchanges.putAll(exchanges);
            copy.outbox.addAll(outbox);
            copy.reports.addAll(reports);
            copy.suspended.addAll(suspended);
            finals.forEach((window, all) -> copy.finals.put(window, new TreeMap<>(all)));
            repairs.forEach((window, all) -> copy.repairs.put(window, new TreeMap<>(all)));
            copy.watermark = watermark;
            copy.forgotten.putAll(forgotten);
            copy.recordsRead = recordsRead;
            copy.messagesRead = messagesRead;
            copy.inTime.addAll(inTime);
            return copy;
        }
    }

    /** A record of the input. */
    record Event(long id, long timestamp, long copies) {
        Event(long id, long timestamp) {
            this(id, timestamp, 1);
        }
    }

    private final ReconcileSettings settings;
    private final Gate gate;
    private final List<Event> input;
    private final List<byte[]> fromPeer;
    private final Channel toPeer;
    private final Map<Refusal, Integer> refusals = new EnumMap<>(Refusal.class);

    private State state = new State();
    private GroupExchanges group;
    private ReconcileClock clock;
    private final SplittableRandom keys = new SplittableRandom(7);
    private long incarnation = 1;
    private long wallClock;
    private State completed = new State();
    @Nullable private State pending;
    private int lateRecords;

    /** Takes what a replica publishes. */
    interface Channel {
        void send(byte[] message);
    }

    Replica(ReconcileSettings settings, List<Event> input, List<byte[]> fromPeer, Channel toPeer) {
        this.settings = settings;
        this.gate = new Gate(settings);
        this.input = input;
        this.fromPeer = fromPeer;
        this.toPeer = toPeer;
        this.group = new GroupExchanges(new Side(settings, 0, incarnation));
        startClock();
    }

    private void startClock() {
        ProcessingTimeService wall =
                new ProcessingTimeService() {
                    @Override
                    public long getCurrentProcessingTime() {
                        return wallClock;
                    }

                    @Override
                    public ScheduledFuture<?> registerTimer(
                            long timestamp, ProcessingTimeCallback target) {
                        throw new UnsupportedOperationException();
                    }
                };
        clock = new ReconcileClock("replica", settings.maxFutureMillis(), wall, line -> {});
    }

    private static byte[] idBytes(long id) {
        return ByteBuffer.allocate(ID_BYTES).putLong(id).array();
    }

    boolean readRecord() throws Exception {
        if (state.recordsRead == input.size()) {
            return false;
        }
        Event event = input.get(state.recordsRead++);
        boolean open =
                settings.setup().hasWindow(event.timestamp())
                        && clock.believes(event.timestamp())
                        && group.add(
                                        event.timestamp(),
                                        Hashing.hash(event.id()),
                                        idBytes(event.id()),
                                        event.copies(),
                                        host())
                                == GroupExchanges.Fate.COUNTED;
        state.inTime.add(open);
        lateRecords += open ? 0 : 1;
        return true;
    }

    boolean hasReadAll() {
        return state.recordsRead == input.size();
    }

    /** Advances the watermark to the end of the input so far, or of everything. */
    void advanceWatermark(boolean toTheEnd) throws Exception {
        if (toTheEnd) {
            group.end(host());
        } else if (state.recordsRead > 0) {
            group.advance(input.get(state.recordsRead - 1).timestamp() - 1, host());
        }
    }

    /** Handles a watermark like the operator. */
    void watermark(long timestamp) throws Exception {
        if (clock.advance(timestamp)) {
            group.advance(clock.watermark(), host());
        }
    }

    /** Event time of the last record that was read; {@link GroupExchanges#NONE} before any. */
    long lastTimestamp() {
        return state.recordsRead == 0
                ? GroupExchanges.NONE
                : input.get(state.recordsRead - 1).timestamp();
    }

    /** For each record that was read, whether it was in time. */
    List<Boolean> inTime() {
        return state.inTime;
    }

    boolean readMessage() throws Exception {
        if (state.messagesRead == fromPeer.size()) {
            return false;
        }
        Message message =
                gate.admit(
                        fromPeer.get(state.messagesRead++),
                        (why, text) -> refusals.merge(why, 1, Integer::sum));
        if (message != null) {
            group.receive(message, host());
        }
        return true;
    }

    /** Begins a checkpoint: the state is written, but nothing is published yet. */
    void beginCheckpoint(long elapsedMillis) throws Exception {
        group.beforeCheckpoint(elapsedMillis, host());
        state.exchanges.clear();
        for (Reconciliation exchange : group.exchanges()) {
            state.exchanges.put(exchange.window(), ReconciliationFormat.write(exchange));
        }
        state.watermark = group.watermark();
        state.forgotten.clear();
        state.forgotten.putAll(group.forgotten());
        pending = state.copy();
    }

    /** Completes it: what it holds is published. */
    void completeCheckpoint() {
        if (pending == null) {
            return;
        }
        completed = pending;
        pending = null;
        completed.outbox.forEach(toPeer::send);
        // Later additions to the outbox wait for the next checkpoint.
        state.outbox.subList(0, completed.outbox.size()).clear();
    }

    void failCheckpoint() {
        pending = null;
    }

    /** A stop with a savepoint: it is complete, and nothing is published. Then a start from it. */
    void drain() throws IOException {
        // The operator takes this checkpoint after the end of its inputs, and closes nothing.
        pending = null;
        try {
            beginCheckpoint(0);
        } catch (Exception e) {
            throw new IOException(e);
        }
        completed = pending;
        kill();
    }

    /** Gives up one window, as for lack of room. */
    void giveUp(long window) throws Exception {
        for (Reconciliation exchange : group.exchanges()) {
            if (exchange.window() == window) {
                exchange.giveUp(WindowReport.Outcome.NO_ROOM, host().at(window));
            }
        }
        group.beforeCheckpoint(0, host());
    }

    /** Starts without any state, from the beginning of everything; what was emitted stays. */
    void loseState() {
        State empty = new State();
        empty.reports.addAll(completed.reports);
        incarnation++;
        pending = null;
        state = empty;
        completed = empty.copy();
        group = new GroupExchanges(new Side(settings, 0, incarnation));
        startClock();
    }

    /** What a start under these settings does with the state of the last checkpoint. */
    void checkSetup(ReconcileSettings others) {
        new KeyGroupFacts(
                        settings.setup(),
                        settings.replica(),
                        settings.peer(),
                        "Long",
                        incarnation,
                        state.watermark,
                        state.forgotten)
                .check(others, "Long", "replica");
    }

    /** Returns to the last completed checkpoint; what its outbox held is published again. */
    void kill() throws IOException {
        pending = null;
        state = completed.copy();
        startClock();
        Side side = new Side(settings, 0, incarnation);
        group = new GroupExchanges(side);
        List<Reconciliation> exchanges = new ArrayList<>();
        for (byte[] bytes : state.exchanges.values()) {
            exchanges.add(ReconciliationFormat.read(bytes, side, "checkpoint"));
        }
        group.restore(state.watermark, state.forgotten, exchanges);
    }

    /** Messages on the log that this replica has not read. */
    int unread() {
        return fromPeer.size() - state.messagesRead;
    }

    /** Exchanges that have something left to say or to hear. */
    long unsettled() {
        return group.exchanges().stream().filter(e -> e.phase() != Phase.SETTLED).count();
    }

    /** The known exchanges. */
    String describe() {
        StringBuilder text = new StringBuilder();
        for (Reconciliation exchange : group.exchanges()) {
            AwaitedAnswer awaited = exchange.awaited();
            PeerView peer = exchange.peer();
            text.append(
                    "%nwindow %d %s serial %d round %d outstanding %s %s, peer: incarnation %d serial %d %s round %d %s"
                            .formatted(
                                    exchange.window(),
                                    exchange.phase(),
                                    exchange.outgoing().serial(),
                                    awaited.round(),
                                    awaited.isOutstanding(),
                                    exchange.own().totals(),
                                    peer.incarnation(),
                                    peer.serial(),
                                    peer.phase(),
                                    peer.round(),
                                    peer.totals()));
        }
        return text.append(" refusals ").append(refusals).toString();
    }

    List<WindowReport> reports() {
        return state.reports;
    }

    /** Reports of exchanges that waited for longer than their time to live, and go on. */
    List<WindowReport> suspended() {
        return state.suspended;
    }

    /** The multisets at the end of the exchange, by window: id hash to copies. */
    Map<Long, Map<Long, Long>> finals() {
        return state.finals;
    }

    /** Sums of the repairs that came out, by window. */
    Map<Long, Map<Long, Long>> repairs() {
        return state.repairs;
    }

    /** Messages that were refused. */
    int refusals() {
        return refusals.values().stream().mapToInt(Integer::intValue).sum();
    }

    int lateRecords() {
        return lateRecords;
    }

    /** Everything that is kept of a window. */
    int elementsKept() {
        return state.elements.values().stream().mapToInt(Map::size).sum();
    }

    private GroupHost host() {
        return new GroupHost() {
            @Override
            public Host at(long window) {
                return new MemoryHost(window);
            }

            @Override
            public void forget(long window) {
                state.elements.remove(window);
            }
        };
    }

    private final class MemoryHost implements Host {
        private final long window;

        MemoryHost(long window) {
            this.window = window;
        }

        private Map<Long, Element> elements() {
            return state.elements.computeIfAbsent(window, w -> new TreeMap<>());
        }

        @Override
        public void forEach(Visitor visitor) {
            elements().forEach((hash, element) -> visitor.element(hash, element.copies()));
        }

        @Override
        public ExchangeKey newKey() {
            return new ExchangeKey(keys.nextLong(), keys.nextLong());
        }

        @Override
        public Element get(long hash) {
            return elements().get(hash);
        }

        @Override
        public void put(long hash, Element element) {
            elements().put(hash, element);
        }

        @Override
        public void clear() {
            state.elements.remove(window);
        }

        @Override
        public long hash(byte[] id) throws IOException {
            if (id.length != ID_BYTES) {
                throw new IOException("an id of " + id.length + " bytes");
            }
            return Hashing.hash(ByteBuffer.wrap(id).getLong());
        }

        @Override
        public void send(MessageKind kind, byte[] message) {
            state.outbox.add(message);
        }

        @Override
        public void repaired(byte[] id, long before, long after) throws IOException {
            state.repairs
                    .computeIfAbsent(window, w -> new HashMap<>())
                    .merge(hash(id), after - before, Long::sum);
        }

        @Override
        public void refused(Refusal why) {
            refusals.merge(why, 1, Integer::sum);
        }

        @Override
        public void saturated(int elements) {}

        @Override
        public void suspended(WindowReport report) {
            state.suspended.add(report);
        }

        @Override
        public void concluded(WindowReport report) {
            state.reports.add(report);
            Map<Long, Long> all = new TreeMap<>();
            forEach(all::put);
            state.finals.put(window, all);
        }
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import static java.util.Objects.requireNonNull;

import io.sluice.filter.KeyValueFilter;
import io.sluice.flink.machine.StateClasses;
import io.sluice.flink.machine.StateTimes;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;

/**
 * A store over filters that cannot list what they hold: each holds the flows of one class and one
 * slice of time, its <b>generation</b>. A flow that is used in a later slice moves to the
 * generation of that slice, so a generation whose slice is too old holds only flows that have timed
 * out, and is dropped as a whole. Flows that time out are therefore known only by number and state.
 *
 * <p>Cost: a lookup asks every generation that could hold the flow: at most {@code slices + 1} of
 * each class, and most answer after one or two cells. A flow moves at most once a slice. The errors
 * of the generations against absent flows add up.
 *
 * <p>A generation is sized by its predecessor's flows, up to a part of the store's share of the
 * memory; it then grows as far as memory allows, and is compacted whenever half of its flows have
 * moved on. If it cannot grow, or should not because the oldest flows have to go first, its slice
 * gets another generation. Not thread-safe.
 */
@Internal
public final class GenerationalFlowStore implements FlowStore {

    /** A generation is never sized for fewer flows, however little memory there is. */
    private static final long MIN_FLOWS = 32;

    /** A generation is never sized for more flows; it grows. */
    private static final long MAX_FLOWS = 1 << 24;

    /** The generations that exist at one time begin with at most this part of the store's share. */
    private static final int PARTS_AT_FIRST = 4;

    private static final int PARTS_OF_SHARE = 8;

    private final GenerationFactory factory;
    private final StateTimes times;
    private final StateClasses classes;
    private final FlowMemory.Claim memory;
    private final long leastFlows;

    /** Most flows that a generation of a class is sized for. */
    private final long[] mostAtFirst;

    /** If flows have to make room, a generation this large gets another one for the same slice. */
    private final long splitBytes;

    /** By class, then by slice, ascending; most often a slice has one or two. */
    private final List<List<Generation>> generations = new ArrayList<>();

    /** For each class, the flows that the next generation is sized for. */
    private final long[] expected;

    /** The latest packet or watermark; tells how old generations are. */
    private long now = Long.MIN_VALUE;

    /** A filter and what it holds. */
    static final class Generation {
        final int ofClass;

        /** The state that the filter knows as 0. */
        final int firstState;

        final KeyValueFilter filter;
        final long[] byState;
        long slice;
        long flows;

        /** The most flows that it held since it was made or compacted. */
        long peak;

        Generation(StateClasses classes, int ofClass, long slice, KeyValueFilter filter) {
            this.ofClass = ofClass;
            this.firstState = classes.firstState(ofClass);
            this.slice = slice;
            this.filter = filter;
            byState = new long[classes.states(ofClass)];
        }
    }

    /**
     * Makes an empty store of flows.
     *
     * @param leastFlows the fewest flows that a generation is sized for, and the size of a class's
     *     first one
     */
    public GenerationalFlowStore(
            GenerationFactory factory, FlowTimeouts timeouts, FlowMemory memory, long leastFlows) {
        this(factory, timeouts.states(), memory, leastFlows);
    }

    GenerationalFlowStore(
            GenerationFactory factory, StateTimes times, FlowMemory memory, long leastFlows) {
        this.factory = requireNonNull(factory, "factory");
        this.times = requireNonNull(times, "times");
        this.classes = times.classes();
        this.mostAtFirst = new long[classes.count()];
        this.expected = new long[classes.count()];
        this.memory = requireNonNull(memory, "memory").claim();
        if (leastFlows < 1) {
            throw new IllegalArgumentException("leastFlows must be at least 1, got " + leastFlows);
        }
        this.leastFlows = leastFlows;
        this.splitBytes = this.memory.share() / PARTS_OF_SHARE;
        int generationsAtOnce = classes.count() * (times.slices() + 1);
        long bytesAtFirst = this.memory.share() / PARTS_AT_FIRST / generationsAtOnce;
        for (int c = 0; c < classes.count(); c++) {
            generations.add(new ArrayList<>());
            expected[c] = leastFlows;
            mostAtFirst[c] = mostFlows(c, bytesAtFirst);
        }
    }

    private long mostFlows(int ofClass, long bytes) {
        long flows = Math.min(MIN_FLOWS, leastFlows);
        while (flows < MAX_FLOWS && factory.bytes(ofClass, 2 * flows) <= bytes) {
            flows *= 2;
        }
        return flows;
    }

    /** The number of flows that a new generation of a class is made for. */
    private long flowsAtFirst(int ofClass) {
        return Math.min(expected[ofClass], mostAtFirst[ofClass]);
    }

    /**
     * Reads what {@link #writeTo} wrote. The timeouts may differ from the ones it was written with:
     * no flow times out earlier than the shorter of both would allow.
     *
     * @param source what is read, for messages
     * @throws io.sluice.filter.format.CorruptFilterException if the bytes are damaged
     * @throws io.sluice.filter.format.UnsupportedFormatException if a newer release wrote them
     */
    public static GenerationalFlowStore readFrom(
            InputStream in,
            String source,
            GenerationFactory factory,
            FlowTimeouts timeouts,
            FlowMemory memory,
            long leastFlows)
            throws IOException {
        GenerationalFlowStore store =
                new GenerationalFlowStore(factory, timeouts, memory, leastFlows);
        GenerationalFormat.read(in, source, store);
        return store;
    }

    @Override
    public int find(long hash, long millis, FlowLookup into, ExpiryListener expired) {
        now = Math.max(now, millis);
        into.begin(hash, millis);
        for (int c = 0; c < classes.count(); c++) {
            List<Generation> ofClass = generations.get(c);
            long oldest = slice(c, millis) - times.slices();
            for (int i = ofClass.size() - 1; i >= 0; i--) {
                Generation generation = ofClass.get(i);
                if (generation.slice >= oldest) {
                    ask(generation, into);
                }
            }
        }
        return into.state;
    }

    /** Two answers contradict each other: a flow is in one generation. */
    private static void ask(Generation generation, FlowLookup into) {
        int value = generation.filter.query(into.hash);
        if (value == KeyValueFilter.ABSENT) {
            return;
        }
        boolean isState = value >= 0 && value < generation.byState.length;
        if (!isState || into.state != ABSENT) {
            into.state = AMBIGUOUS;
        } else {
            into.state = generation.firstState + value;
            into.generation = generation;
        }
    }

    @Override
    public Stored put(FlowLookup found, int state, ExpiryListener expired) {
        if (found.state == AMBIGUOUS) {
            throw new IllegalStateException("the flow was ambiguous: nothing can be put");
        }
        int of = times.codeOf(state);
        long slice = slice(of, found.millis);
        boolean trails = times.isTerminal(state);
        Generation held = found.generation;
        if (held != null && held.ofClass == of && (held.slice >= slice || trails)) {
            return update(held, found, state);
        }
        if (!makeRoom(of, slice, found, expired)) {
            return Stored.NO_ROOM;
        }
        // The flow may have lost its place to make room.
        if (found.generation != null && !leave(found.generation, found)) {
            return Stored.REFUSED;
        }
        Generation target = withRoom(of, slice);
        insert(target == null ? create(of, slice) : target, found, state);
        return Stored.YES;
    }

    private static Stored update(Generation held, FlowLookup found, int state) {
        if (state == found.state) {
            return Stored.YES;
        }
        int first = held.firstState;
        if (!held.filter.update(found.hash, found.state - first, state - first)) {
            return Stored.REFUSED;
        }
        held.byState[found.state - first]--;
        held.byState[state - first]++;
        return Stored.YES;
    }

    /** Removes the flow from where it was found. */
    private boolean leave(Generation from, FlowLookup found) {
        int value = found.state - from.firstState;
        long before = from.filter.sizeInBytes();
        if (!from.filter.remove(found.hash, value)) {
            return false;
        }
        from.byState[value]--;
        from.flows--;
        if (2 * from.flows <= from.peak) {
            factory.compact(from.filter);
            from.peak = from.flows;
        }
        memory.charge(from.filter.sizeInBytes() - before);
        List<Generation> ofClass = generations.get(from.ofClass);
        if (from.flows == 0 && ofClass.get(ofClass.size() - 1) != from) {
            drop(from);
        }
        return true;
    }

    private void insert(Generation into, FlowLookup found, int state) {
        int value = state - into.firstState;
        long before = into.filter.sizeInBytes();
        into.filter.insert(found.hash, value);
        memory.charge(into.filter.sizeInBytes() - before);
        into.byState[value]++;
        into.flows++;
        into.peak = Math.max(into.peak, into.flows);
        expected[into.ofClass] = Math.max(expected[into.ofClass], into.peak);
    }

    private boolean makeRoom(int ofClass, long slice, FlowLookup found, ExpiryListener expired) {
        while (true) {
            Generation target = withRoom(ofClass, slice);
            long bytes =
                    target == null
                            ? factory.bytes(ofClass, flowsAtFirst(ofClass))
                            : factory.growth(target.filter);
            // A flow must find a place: the first generation of a store may exceed the memory.
            if (bytes == 0 || memory.hasRoom(bytes) || generations() == 0) {
                return true;
            }
            Generation victim = memory.whenFull() == WhenFull.EVICT ? victim(target) : null;
            if (victim == null) {
                memory.refuse(bytes);
                return false;
            }
            evict(victim, found, expired);
        }
    }

    private void evict(Generation victim, FlowLookup found, ExpiryListener expired) {
        if (victim == found.generation) {
            // It stays alive, as this is its packet.
            victim.byState[found.state - victim.firstState]--;
            victim.flows--;
            found.generation = null;
            found.state = ABSENT;
        }
        memory.countEvicted(victim.flows);
        report(victim, expired);
        drop(victim);
    }

    /**
     * The generation that makes room for others, or null. While more than half of the flows are of
     * the class that is sacrificed, the oldest generation of these, like {@link Eviction}.
     */
    @Nullable
    private Generation victim(@Nullable Generation kept) {
        if (times.sacrificed() != StateTimes.NONE) {
            List<Generation> sacrificed = generations.get(times.sacrificed());
            if (2 * sacrificed.stream().mapToLong(each -> each.flows).sum() > flows()) {
                return sacrificed.get(0);
            }
        }
        Generation victim = null;
        for (List<Generation> ofClass : generations) {
            for (Generation each : ofClass) {
                if (each != kept && (victim == null || usedUp(each) > usedUp(victim))) {
                    victim = each;
                }
            }
        }
        return victim;
    }

    /** The part of their timeout that the flows of a generation have used up. */
    private double usedUp(Generation generation) {
        double slices = (double) now / times.sliceMillis(generation.ofClass) - generation.slice;
        return slices / (times.slices() + 1);
    }

    /** The generation to put a flow in, which may have to grow; null for a new one. */
    @Nullable
    private Generation withRoom(int ofClass, long slice) {
        List<Generation> all = generations.get(ofClass);
        for (int i = all.size() - 1; i >= 0 && all.get(i).slice >= slice; i--) {
            Generation last = all.get(i);
            if (last.slice == slice) {
                long growth = factory.growth(last.filter);
                boolean isLarge =
                        memory.whenFull() == WhenFull.EVICT
                                && last.filter.sizeInBytes() >= splitBytes;
                return growth == Long.MAX_VALUE || (growth > 0 && isLarge) ? null : last;
            }
        }
        return null;
    }

    private Generation create(int ofClass, long slice) {
        KeyValueFilter filter = factory.create(ofClass, flowsAtFirst(ofClass));
        Generation generation = new Generation(classes, ofClass, slice, filter);
        // So if a class has fewer flows than before, its generations gradually become smaller.
        expected[ofClass] = Math.max(leastFlows, expected[ofClass] - expected[ofClass] / 4);
        add(generation);
        return generation;
    }

    /** Adds a new generation, or one that was read. */
    void add(Generation generation) {
        List<Generation> ofClass = generations.get(generation.ofClass);
        int at = ofClass.size();
        while (at > 0 && ofClass.get(at - 1).slice > generation.slice) {
            at--;
        }
        ofClass.add(at, generation);
        memory.charge(generation.filter.sizeInBytes());
    }

    private void drop(Generation generation) {
        generations.get(generation.ofClass).remove(generation);
        memory.charge(-generation.filter.sizeInBytes());
    }

    @Override
    public void advance(long watermark, long latest, ExpiryListener expired) {
        now = now > latest ? watermark : Math.max(now, watermark);
        for (int c = 0; c < classes.count(); c++) {
            List<Generation> ofClass = generations.get(c);
            long last = slice(c, latest);
            for (int i = ofClass.size() - 1; i >= 0 && ofClass.get(i).slice > last; i--) {
                ofClass.get(i).slice = last;
            }
            long oldest = slice(c, watermark) - times.slices();
            while (!ofClass.isEmpty() && ofClass.get(0).slice < oldest) {
                report(ofClass.get(0), expired);
                drop(ofClass.get(0));
            }
        }
    }

    @Override
    public void forEachOpen(ExpiryListener listener) {
        for (int c = 0; c < classes.count(); c++) {
            if (!classes.isTerminal(c)) {
                generations.get(c).forEach(each -> report(each, listener));
            }
        }
    }

    private static void report(Generation generation, ExpiryListener expired) {
        for (int value = 0; value < generation.byState.length; value++) {
            if (generation.byState[value] != 0) {
                expired.expired(generation.firstState + value, generation.byState[value]);
            }
        }
    }

    /** The slice of a time. */
    long slice(int ofClass, long millis) {
        return Math.floorDiv(millis, times.sliceMillis(ofClass));
    }

    @Override
    public long flows() {
        long sum = 0;
        for (List<Generation> ofClass : generations) {
            for (Generation each : ofClass) {
                sum += each.flows;
            }
        }
        return sum;
    }

    @Override
    public long flows(int state) {
        long sum = 0;
        for (Generation each : generations.get(times.codeOf(state))) {
            sum += each.byState[state - each.firstState];
        }
        return sum;
    }

    @Override
    public long sizeInBytes() {
        long sum = 0;
        for (List<Generation> ofClass : generations) {
            for (Generation each : ofClass) {
                sum += each.filter.sizeInBytes();
            }
        }
        return sum;
    }

    /** Number of generations of all classes. */
    public int generations() {
        return generations.stream().mapToInt(List::size).sum();
    }

    List<Generation> ofClass(int code) {
        return generations.get(code);
    }

    GenerationFactory factory() {
        return factory;
    }

    StateTimes times() {
        return times;
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
        GenerationalFormat.write(this, out);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import static java.util.Objects.requireNonNull;

import io.sluice.filter.KeyValueFilter;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;

/**
 * A store over filters that cannot list what they hold: each holds the flows of one class and one
 * slice of time, its <b>generation</b>. A flow that is used in a later slice moves to the
 * generation of that slice, so a generation whose slice is too long ago holds only flows that have
 * timed out, and is dropped whole. Flows that time out are therefore known by number and state
 * only.
 *
 * <p>Cost: a lookup asks every generation that could hold the flow: at most {@code slices + 1} of
 * each class, of which most have nothing to say after one or two cells. A flow moves at most once a
 * slice. The errors of the generations against absent flows add up.
 *
 * <p>A generation is sized by its predecessor's flows, then grows as far as memory allows, and is
 * compacted whenever half of its flows have moved on. Not thread-safe.
 */
public final class GenerationalFlowStore implements FlowStore {

    private final GenerationFactory factory;
    private final FlowTimeouts timeouts;
    private final FlowMemory memory;
    private final long leastFlows;

    /** By class; of each the generations by slice, ascending, most often one or two. */
    private final List<List<Generation>> generations = new ArrayList<>(IdleClass.COUNT);

    /** Flows that the next generation of a class is sized for. */
    private final long[] expected = new long[IdleClass.COUNT];

    private final long[] sliceMillis = new long[IdleClass.COUNT];

    private long foundHash;
    private int foundState;
    private long foundMillis;
    private Generation foundIn;

    /** A filter and what it holds. */
    static final class Generation {
        final IdleClass of;
        final long slice;
        final KeyValueFilter filter;
        final long[] byState;
        long flows;

        /** Most flows since it was made or compacted. */
        long peak;

        Generation(IdleClass of, long slice, KeyValueFilter filter) {
            this.of = of;
            this.slice = slice;
            this.filter = filter;
            byState = new long[of.states()];
        }
    }

    /**
     * @param leastFlows for which a generation is sized at least, and the first of a class
     */
    public GenerationalFlowStore(
            GenerationFactory factory, FlowTimeouts timeouts, FlowMemory memory, long leastFlows) {
        this.factory = requireNonNull(factory, "factory");
        this.timeouts = requireNonNull(timeouts, "timeouts");
        this.memory = requireNonNull(memory, "memory");
        if (leastFlows < 1) {
            throw new IllegalArgumentException("leastFlows must be at least 1, got " + leastFlows);
        }
        this.leastFlows = leastFlows;
        for (int i = 0; i < IdleClass.COUNT; i++) {
            generations.add(new ArrayList<>());
            expected[i] = leastFlows;
            sliceMillis[i] = timeouts.sliceMillis(IdleClass.ofCode(i));
        }
    }

    /**
     * Reads what {@link #writeTo} wrote. The timeouts may be others than those that it was written
     * with: no flow times out earlier than by the shorter of both.
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
    public int find(long hash, long millis, ExpiryListener expired) {
        foundHash = hash;
        foundMillis = millis;
        foundState = ABSENT;
        foundIn = null;
        for (int c = 0; c < IdleClass.COUNT; c++) {
            List<Generation> ofClass = generations.get(c);
            long oldest = slice(c, millis) - timeouts.slices();
            for (int i = ofClass.size() - 1; i >= 0; i--) {
                Generation generation = ofClass.get(i);
                if (generation.slice >= oldest) {
                    ask(generation);
                }
            }
        }
        return foundState;
    }

    /** Two answers contradict each other: a flow is in one generation. */
    private void ask(Generation generation) {
        int value = generation.filter.query(foundHash);
        if (value == KeyValueFilter.ABSENT) {
            return;
        }
        if (value == KeyValueFilter.AMBIGUOUS || foundState != ABSENT) {
            foundState = AMBIGUOUS;
        } else {
            foundState = generation.of.firstState() + value;
            foundIn = generation;
        }
    }

    @Override
    public Stored put(int state, ExpiryListener expired) {
        if (foundState == AMBIGUOUS) {
            throw new IllegalStateException("the flow was ambiguous: nothing can be put");
        }
        IdleClass of = IdleClass.of(state);
        long slice = slice(of.code(), foundMillis);
        if (foundIn != null && foundIn.of == of && foundIn.slice >= slice) {
            return update(state);
        }
        Generation target = existing(of, slice);
        if (!makeRoom(of, target, expired)) {
            return Stored.NO_ROOM;
        }
        if (foundIn != null && !leave()) {
            return Stored.REFUSED;
        }
        insert(target == null ? create(of, slice) : target, state);
        return Stored.YES;
    }

    private Stored update(int state) {
        if (state == foundState) {
            return Stored.YES;
        }
        int first = foundIn.of.firstState();
        if (!foundIn.filter.update(foundHash, foundState - first, state - first)) {
            return Stored.REFUSED;
        }
        foundIn.byState[foundState - first]--;
        foundIn.byState[state - first]++;
        foundState = state;
        return Stored.YES;
    }

    /** Takes the flow out of where it was found. */
    private boolean leave() {
        Generation from = foundIn;
        int value = foundState - from.of.firstState();
        long before = from.filter.sizeInBytes();
        if (!from.filter.delete(foundHash, value)) {
            return false;
        }
        from.byState[value]--;
        from.flows--;
        if (2 * from.flows <= from.peak) {
            factory.compact(from.filter);
            from.peak = from.flows;
        }
        memory.charge(from.filter.sizeInBytes() - before);
        List<Generation> ofClass = generations.get(from.of.code());
        if (from.flows == 0 && ofClass.get(ofClass.size() - 1) != from) {
            drop(from);
        }
        foundIn = null;
        foundState = ABSENT;
        return true;
    }

    private void insert(Generation into, int state) {
        int value = state - into.of.firstState();
        long before = into.filter.sizeInBytes();
        into.filter.insert(foundHash, value);
        memory.charge(into.filter.sizeInBytes() - before);
        into.byState[value]++;
        into.flows++;
        into.peak = Math.max(into.peak, into.flows);
        expected[into.of.code()] = Math.max(expected[into.of.code()], into.peak);
        foundIn = into;
        foundState = state;
    }

    private boolean makeRoom(IdleClass of, Generation target, ExpiryListener expired) {
        while (true) {
            long bytes =
                    target == null
                            ? factory.bytes(of, expected[of.code()])
                            : factory.growth(target.filter);
            if (bytes == 0 || memory.hasRoom(bytes)) {
                return true;
            }
            Generation oldest =
                    memory.whenFull() == FlowMemory.WhenFull.EVICT ? oldestBut(target) : null;
            if (oldest == null) {
                memory.refuse(bytes);
                return false;
            }
            report(oldest, expired);
            drop(oldest);
            if (oldest == foundIn) {
                foundIn = null;
                foundState = ABSENT;
            }
        }
    }

    /** The generation whose slice ended first, or null. */
    private Generation oldestBut(Generation kept) {
        Generation oldest = null;
        for (List<Generation> ofClass : generations) {
            for (Generation each : ofClass) {
                if (each != kept && (oldest == null || endMillis(each) < endMillis(oldest))) {
                    oldest = each;
                }
            }
        }
        return oldest;
    }

    private long endMillis(Generation generation) {
        return (generation.slice + 1) * sliceMillis[generation.of.code()];
    }

    private Generation existing(IdleClass of, long slice) {
        List<Generation> ofClass = generations.get(of.code());
        for (int i = ofClass.size() - 1; i >= 0; i--) {
            if (ofClass.get(i).slice == slice) {
                return ofClass.get(i);
            }
        }
        return null;
    }

    private Generation create(IdleClass of, long slice) {
        int c = of.code();
        Generation generation = new Generation(of, slice, factory.create(of, expected[c]));
        // So a class that has fewer flows than it had gets smaller generations, by and by.
        expected[c] = Math.max(leastFlows, expected[c] - expected[c] / 4);
        add(generation);
        return generation;
    }

    /** Takes in a new generation, or one that was read. */
    void add(Generation generation) {
        List<Generation> ofClass = generations.get(generation.of.code());
        int at = ofClass.size();
        while (at > 0 && ofClass.get(at - 1).slice > generation.slice) {
            at--;
        }
        ofClass.add(at, generation);
        memory.charge(generation.filter.sizeInBytes());
    }

    private void drop(Generation generation) {
        generations.get(generation.of.code()).remove(generation);
        memory.charge(-generation.filter.sizeInBytes());
    }

    @Override
    public void advance(long watermark, ExpiryListener expired) {
        for (int c = 0; c < IdleClass.COUNT; c++) {
            List<Generation> ofClass = generations.get(c);
            long oldest = slice(c, watermark) - timeouts.slices();
            while (!ofClass.isEmpty() && ofClass.get(0).slice < oldest) {
                report(ofClass.get(0), expired);
                drop(ofClass.get(0));
            }
        }
    }

    private static void report(Generation generation, ExpiryListener expired) {
        for (int value = 0; value < generation.byState.length; value++) {
            if (generation.byState[value] != 0) {
                expired.expired(generation.of.firstState() + value, generation.byState[value]);
            }
        }
    }

    /** The slice that a time is in. */
    long slice(int ofClass, long millis) {
        return Math.floorDiv(millis, sliceMillis[ofClass]);
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
        IdleClass of = IdleClass.of(state);
        for (Generation each : generations.get(of.code())) {
            sum += each.byState[state - of.firstState()];
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

    /** Generations held now, of all classes. */
    public int generations() {
        return generations.stream().mapToInt(List::size).sum();
    }

    List<Generation> ofClass(int code) {
        return generations.get(code);
    }

    GenerationFactory factory() {
        return factory;
    }

    long sliceMillis(int ofClass) {
        return sliceMillis[ofClass];
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
        GenerationalFormat.write(this, out);
    }
}

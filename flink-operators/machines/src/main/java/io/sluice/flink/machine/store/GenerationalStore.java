/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine.store;

import static java.util.Objects.requireNonNull;

import io.sluice.filter.KeyValueFilter;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;

/**
 * A store over filters that cannot list what they hold: each holds the machines of one class and
 * one slice of time, its <b>generation</b>. A machine that is used in a later slice moves to the
 * generation of that slice, so a generation whose slice is too old holds only machines that have
 * timed out, and is dropped as a whole. Machines that time out are therefore known only by number
 * and state.
 *
 * <p>Cost: a lookup asks every generation that could hold the machine: at most {@code slices + 1}
 * of each class, and most answer after one or two cells. A machine moves at most once a slice. The
 * errors of the generations against absent machines add up.
 *
 * <p>A generation is sized by its predecessor's machines, up to a part of the store's share of the
 * memory; it then grows as far as memory allows, and is compacted whenever half of its machines
 * have moved on. If it cannot grow, or should not because the oldest machines have to go first, its
 * slice gets another generation. Not thread-safe.
 */
@Internal
public final class GenerationalStore implements StateStore {

    /** A generation is never sized for fewer machines, however little memory there is. */
    private static final long MIN_MACHINES = 32;

    /** A generation is never sized for more machines; it grows. */
    private static final long MAX_MACHINES = 1 << 24;

    /** The generations that exist at one time begin with at most this part of the store's share. */
    private static final int PARTS_AT_FIRST = 4;

    private static final int PARTS_OF_SHARE = 8;

    private final GenerationFactory factory;
    private final StateTimes times;
    private final StateClasses classes;
    private final StoreMemory.Claim memory;
    private final long leastMachines;

    /** Most machines that a generation of a class is sized for. */
    private final long[] mostAtFirst;

    /**
     * If machines have to make room, a generation this large gets another one for the same slice.
     */
    private final long splitBytes;

    /** By class, then by slice, ascending; most often a slice has one or two. */
    private final List<List<Generation>> generations = new ArrayList<>();

    /** For each class, the machines that the next generation is sized for. */
    private final long[] expected;

    /** The latest event or watermark; tells how old generations are. */
    private long now = Long.MIN_VALUE;

    /** A filter and what it holds. */
    static final class Generation {
        final int ofClass;

        /** The state that the filter knows as 0. */
        final int firstState;

        final KeyValueFilter filter;
        final long[] byState;
        long slice;
        long machines;

        /** The most machines that it held since it was made or compacted. */
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
     * Makes an empty store.
     *
     * @param leastMachines the fewest machines that a generation is sized for, and the size of a
     *     class's first one
     */
    public GenerationalStore(
            GenerationFactory factory, StateTimes times, StoreMemory memory, long leastMachines) {
        this.factory = requireNonNull(factory, "factory");
        this.times = requireNonNull(times, "times");
        this.classes = times.classes();
        this.mostAtFirst = new long[classes.count()];
        this.expected = new long[classes.count()];
        this.memory = requireNonNull(memory, "memory").claim();
        if (leastMachines < 1) {
            throw new IllegalArgumentException(
                    "leastMachines must be at least 1, got " + leastMachines);
        }
        this.leastMachines = leastMachines;
        this.splitBytes = this.memory.share() / PARTS_OF_SHARE;
        int generationsAtOnce = classes.count() * (times.slices() + 1);
        long bytesAtFirst = this.memory.share() / PARTS_AT_FIRST / generationsAtOnce;
        for (int c = 0; c < classes.count(); c++) {
            generations.add(new ArrayList<>());
            expected[c] = leastMachines;
            mostAtFirst[c] = mostMachines(c, bytesAtFirst);
        }
    }

    private long mostMachines(int ofClass, long bytes) {
        long machines = Math.min(MIN_MACHINES, leastMachines);
        while (machines < MAX_MACHINES && factory.bytes(ofClass, 2 * machines) <= bytes) {
            machines *= 2;
        }
        return machines;
    }

    /** The number of machines that a new generation of a class is made for. */
    private long machinesAtFirst(int ofClass) {
        return Math.min(expected[ofClass], mostAtFirst[ofClass]);
    }

    /**
     * Reads what {@link #writeTo} wrote. The times may differ from the ones it was written with: no
     * machine times out earlier than the shorter of both would allow.
     *
     * @param source what is read, for messages
     * @throws io.sluice.filter.format.CorruptFilterException if the bytes are damaged
     * @throws io.sluice.filter.format.UnsupportedFormatException if a newer release wrote them
     */
    public static GenerationalStore readFrom(
            InputStream in,
            String source,
            GenerationFactory factory,
            StateTimes times,
            StoreMemory memory,
            long leastMachines)
            throws IOException {
        GenerationalStore store = new GenerationalStore(factory, times, memory, leastMachines);
        GenerationalFormat.read(in, source, store);
        return store;
    }

    @Override
    public int find(long hash, long millis, Lookup into, ExpiryListener expired) {
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

    /** Two answers contradict each other: a machine is in one generation. */
    private static void ask(Generation generation, Lookup into) {
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
    public Stored put(Lookup found, int state, ExpiryListener expired) {
        if (found.state == AMBIGUOUS) {
            throw new IllegalStateException("the machine was ambiguous: nothing can be put");
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
        // The machine may have lost its place to make room.
        if (found.generation != null && !leave(found.generation, found)) {
            return Stored.REFUSED;
        }
        Generation target = withRoom(of, slice);
        insert(target == null ? create(of, slice) : target, found, state);
        return Stored.YES;
    }

    private static Stored update(Generation held, Lookup found, int state) {
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

    @Override
    public Stored remove(Lookup found) {
        if (found.state == AMBIGUOUS) {
            throw new IllegalStateException("the machine was ambiguous: nothing can be removed");
        }
        if (found.generation == null) {
            return Stored.YES;
        }
        return leave(found.generation, found) ? Stored.YES : Stored.REFUSED;
    }

    /** Removes the machine from where it was found. */
    private boolean leave(Generation from, Lookup found) {
        int value = found.state - from.firstState;
        long before = from.filter.sizeInBytes();
        if (!from.filter.remove(found.hash, value)) {
            return false;
        }
        from.byState[value]--;
        from.machines--;
        if (2 * from.machines <= from.peak) {
            factory.compact(from.filter);
            from.peak = from.machines;
        }
        memory.charge(from.filter.sizeInBytes() - before);
        List<Generation> ofClass = generations.get(from.ofClass);
        if (from.machines == 0 && ofClass.get(ofClass.size() - 1) != from) {
            drop(from);
        }
        return true;
    }

    private void insert(Generation into, Lookup found, int state) {
        int value = state - into.firstState;
        long before = into.filter.sizeInBytes();
        into.filter.insert(found.hash, value);
        memory.charge(into.filter.sizeInBytes() - before);
        into.byState[value]++;
        into.machines++;
        into.peak = Math.max(into.peak, into.machines);
        expected[into.ofClass] = Math.max(expected[into.ofClass], into.peak);
    }

    private boolean makeRoom(int ofClass, long slice, Lookup found, ExpiryListener expired) {
        while (true) {
            Generation target = withRoom(ofClass, slice);
            long bytes =
                    target == null
                            ? factory.bytes(ofClass, machinesAtFirst(ofClass))
                            : factory.growth(target.filter);
            // A machine must find a place: the first generation of a store may exceed the memory.
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

    private void evict(Generation victim, Lookup found, ExpiryListener expired) {
        if (victim == found.generation) {
            // It stays alive, as this is its event.
            victim.byState[found.state - victim.firstState]--;
            victim.machines--;
            found.generation = null;
            found.state = ABSENT;
        }
        memory.countEvicted(victim.machines);
        report(victim, expired);
        drop(victim);
    }

    /**
     * The generation that makes room for others, or null. While more than half of the machines are
     * of the class that is sacrificed, the oldest generation of these, like {@link Eviction}.
     */
    @Nullable
    private Generation victim(@Nullable Generation kept) {
        if (times.sacrificed() != StateTimes.NONE) {
            List<Generation> sacrificed = generations.get(times.sacrificed());
            if (2 * sacrificed.stream().mapToLong(each -> each.machines).sum() > machines()) {
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

    /** The part of their time-to-live that the machines of a generation have used up. */
    private double usedUp(Generation generation) {
        double slices = (double) now / times.sliceMillis(generation.ofClass) - generation.slice;
        return slices / (times.slices() + 1);
    }

    /** The generation to put a machine in, which may have to grow; null for a new one. */
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
        KeyValueFilter filter = factory.create(ofClass, machinesAtFirst(ofClass));
        Generation generation = new Generation(classes, ofClass, slice, filter);
        // So if a class has fewer machines than before, its generations gradually become smaller.
        expected[ofClass] = Math.max(leastMachines, expected[ofClass] - expected[ofClass] / 4);
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
    public long machines() {
        long sum = 0;
        for (List<Generation> ofClass : generations) {
            for (Generation each : ofClass) {
                sum += each.machines;
            }
        }
        return sum;
    }

    @Override
    public long machines(int state) {
        long sum = 0;
        for (Generation each : generations.get(times.codeOf(state))) {
            sum += each.byState[state - each.firstState];
        }
        return sum;
    }

    @Override
    public double predictedError() {
        return factory.error(times.slices());
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

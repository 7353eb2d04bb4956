/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine.store;

import static java.util.Objects.requireNonNull;

import io.sluice.filter.hash.HashSpread;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.apache.flink.annotation.Internal;

/**
 * A store that knows every machine: open addressing with linear probing, 12 bytes a slot, at most
 * three quarters full while there is memory to double it, seven eighths after that. Machines that
 * time out are known individually. Two machines with equal hashes are one machine.
 *
 * <p>A slot is the hash and a word:
 *
 * <pre>
 *   | state (5 bits, all ones if the slot is free) | low 27 bits of the tick of last use |
 * </pre>
 *
 * <p>A tick is a fraction of a slice ({@link StoreTicks}). Its high bits are those that bring it
 * nearest to the current event or the {@link SliceClock}. So machines must not be further apart
 * than 2^26 ticks: at least 18 hours, and half a year with slices of 15 s. A time further away is
 * wild, and its machine goes when the next watermark comes.
 *
 * <p>O(1) per operation, amortised; with chosen hashes up to a few thousand slots. {@link #advance}
 * visits all slots once per slice, and an eviction visits all slots to free a sixteenth of the
 * machines. Equal calls on two new stores have equal results, in equal order, until somebody's
 * choice of hashes makes searches long: then a secret decides where machines are ({@link
 * HashSpread}), as in a store that was read. Not thread-safe.
 */
@Internal
public final class ExactStore implements StateStore {

    public static final int MIN_SLOTS = 16;
    static final int MAX_SLOTS = 1 << 30;
    public static final int SLOT_BYTES = Long.BYTES + Integer.BYTES;

    /** One more would be the mark of a free slot. */
    static final int MAX_STATES = 31;

    private static final int FREE = -1;

    /** Hardly any search passes more slots by chance, even if seven eighths are in use. */
    private static final int LONG_SEARCH = 1_024;

    /** Seven times what a removal passes by chance, on average, if seven eighths are in use. */
    private static final int LONG_REMOVAL = 256;

    /** How many slots beyond those may be passed; more means that somebody chose the hashes. */
    private static final int MAX_EXCESS = 1 << 20;

    /** How many of these slots a short search or removal takes back. */
    private static final int TAKEN_BACK = 16;

    /** The fraction of the machines that an eviction removes. */
    private static final int EVICTED_PART = 16;

    private final StateTimes times;
    private final StoreMemory.Claim memory;
    private final StoreTicks ticks;
    private final SliceClock clock;

    /** For each class, the slice of the last watermark. */
    private final long[] swept;

    private final long[] byState;

    private HashSpread spread;

    /** Slots passed beyond what chance makes, while no secret decides where machines are. */
    private int excess;

    private long[] hashes = {};
    private int[] words = {};
    private int machines;

    /**
     * Makes an empty store; its smallest table may exceed the memory.
     *
     * @param times of at most {@value #MAX_STATES} states
     */
    public ExactStore(StateTimes times, StoreMemory memory) {
        this(times, memory, HashSpread.known());
    }

    ExactStore(StateTimes times, StoreMemory memory, HashSpread spread) {
        this.spread = requireNonNull(spread, "spread");
        this.times = requireNonNull(times, "times");
        if (times.states() > MAX_STATES) {
            throw new IllegalArgumentException(
                    "at most " + MAX_STATES + " states can be held, got " + times.states());
        }
        this.memory = requireNonNull(memory, "memory").claim();
        this.ticks = new StoreTicks(times);
        this.clock = new SliceClock(ticks.nearMillis());
        this.swept = new long[times.classes().count()];
        this.byState = new long[times.states()];
        Arrays.fill(swept, Long.MIN_VALUE);
        resize(MIN_SLOTS);
    }

    @Override
    public int find(long hash, long millis, Lookup into, ExpiryListener expired) {
        clock.see(millis);
        into.begin(hash, millis);
        int at = slot(hash);
        int word = words[at];
        if (word == FREE) {
            return ABSENT;
        }
        int c = times.codeOf(StoreTicks.state(word));
        long tick = ticks.tick(c, millis);
        long held = StoreTicks.nearest(tick, word);
        if (ticks.slice(c, tick) - ticks.slice(c, held) > times.slices()) {
            letGo(at, held, expired);
            spreadIfCrowded();
            return ABSENT;
        }
        into.slot = at;
        into.state = StoreTicks.state(word);
        return into.state;
    }

    @Override
    public Stored put(Lookup found, int state, ExpiryListener expired) {
        int c = times.codeOf(state);
        long tick = ticks.tick(c, found.millis);
        int at = found.slot;
        if (at >= 0) {
            int word = words[at];
            int before = StoreTicks.state(word);
            byState[before]--;
            boolean isSameClass = times.codeOf(before) == c;
            boolean isEarlier = isSameClass && StoreTicks.nearest(tick, word) > tick;
            boolean trails = isSameClass && times.isTerminal(state);
            set(at, StoreTicks.word(state, isEarlier || trails ? word : tick));
            return Stored.YES;
        }
        if (!makeRoom(expired)) {
            return Stored.NO_ROOM;
        }
        at = slot(found.hash);
        hashes[at] = found.hash;
        machines++;
        set(at, StoreTicks.word(state, tick));
        return Stored.YES;
    }

    @Override
    public Stored remove(Lookup found) {
        if (found.slot >= 0) {
            remove(found.slot);
            found.slot = -1;
            boolean unused = spreadIfCrowded();
        }
        return Stored.YES;
    }

    private void set(int at, int word) {
        words[at] = word;
        byState[StoreTicks.state(word)]++;
    }

    private boolean makeRoom(ExpiryListener expired) {
        if (4L * (machines + 1) <= 3L * words.length) {
            return true;
        }
        long growth = (long) words.length * SLOT_BYTES;
        if (words.length < MAX_SLOTS && memory.hasRoom(growth)) {
            resize(2 * words.length);
            return true;
        }
        if (8L * (machines + 1) <= 7L * words.length) {
            return true;
        }
        if (memory.whenFull() == WhenFull.EVICT) {
            evict(expired);
            return true;
        }
        memory.refuse(growth);
        return false;
    }

    private void evict(ExpiryListener expired) {
        Eviction victims = new Eviction(times, byState);
        for (int word : words) {
            if (word != FREE) {
                victims.see(StoreTicks.state(word), usedUp(word));
            }
        }
        int wanted = Math.max(1, machines / EVICTED_PART);
        victims.choose(wanted);
        int before = machines;
        do {
            evict(victims, expired);
        } while (spreadIfCrowded());
        memory.countEvicted(before - machines);
    }

    private void evict(Eviction victims, ExpiryListener expired) {
        int free = freeSlot();
        for (int i = 1; i < words.length && !isCrowded(); i++) {
            int at = (free - i) & (words.length - 1);
            // A machine that moves here, once this one is gone, was asked before.
            if (words[at] != FREE && victims.take(StoreTicks.state(words[at]), usedUp(words[at]))) {
                letGo(at, whole(words[at]), expired);
            }
        }
    }

    /** The part of its time-to-live that a machine has used up. */
    private int usedUp(int word) {
        int c = times.codeOf(StoreTicks.state(word));
        return ticks.usedUp(c, whole(word), clock.now());
    }

    @Override
    public void advance(long watermark, long latest, ExpiryListener expired) {
        clock.limit(latest, watermark);
        boolean isNewSlice = false;
        for (int c = 0; c < swept.length; c++) {
            long slice = ticks.slice(c, ticks.tick(c, watermark));
            isNewSlice |= slice > swept[c];
            swept[c] = Math.max(swept[c], slice);
        }
        if (!isNewSlice) {
            return;
        }
        do {
            sweep(latest, expired);
        } while (spreadIfCrowded());
        if (words.length > MIN_SLOTS && 8L * machines < words.length) {
            resize(Math.max(MIN_SLOTS, Integer.highestOneBit(4 * machines + 1) * 2));
        }
    }

    private void sweep(long latest, ExpiryListener expired) {
        // Removing a machine moves later machines of the same run of slots back, to where this
        // looks
        // next. Going backwards from a free slot cuts no run in two, not even one across the
        // table's end.
        int free = freeSlot();
        for (int i = 1; i < words.length && !isCrowded(); i++) {
            int at = (free - i) & (words.length - 1);
            while (words[at] != FREE && !isCrowded() && isOver(at, latest)) {
                letGo(at, whole(words[at]), expired);
            }
        }
    }

    /** Whether a machine has timed out; a use after {@code latest} counts as at {@code latest}. */
    private boolean isOver(int at, long latest) {
        int state = StoreTicks.state(words[at]);
        int c = times.codeOf(state);
        long tick = whole(words[at]);
        long last = ticks.tick(c, latest);
        if (tick > last) {
            words[at] = StoreTicks.word(state, last);
            tick = last;
        }
        return swept[c] - ticks.slice(c, tick) > times.slices();
    }

    /** INVARIANT: at most seven eighths of the slots are in use. */
    private int freeSlot() {
        int at = 0;
        while (words[at] != FREE) {
            at++;
        }
        return at;
    }

    private void letGo(int at, long tick, ExpiryListener expired) {
        int state = StoreTicks.state(words[at]);
        long hash = hashes[at];
        remove(at);
        expired.expired(hash, state, overMillis(state, tick));
    }

    private long overMillis(int state, long tick) {
        int c = times.codeOf(state);
        return (ticks.slice(c, tick) + times.slices() + 1) * ticks.sliceMillis(c);
    }

    private void remove(int freed) {
        byState[StoreTicks.state(words[freed])]--;
        machines--;
        int at = freed;
        int mask = words.length - 1;
        int next = (at + 1) & mask;
        for (; words[next] != FREE; next = (next + 1) & mask) {
            // Moves back machines whose probing starts at the freed slot or before it.
            if (((next - home(hashes[next])) & mask) >= ((next - at) & mask)) {
                hashes[at] = hashes[next];
                words[at] = words[next];
                at = next;
            }
        }
        words[at] = FREE;
        pass((next - freed) & mask, LONG_REMOVAL);
    }

    private void pass(int slots, int many) {
        if (!spread.isSecret()) {
            excess = Math.max(0, excess + Math.max(slots - many, -TAKEN_BACK));
        }
    }

    private boolean isCrowded() {
        return excess > MAX_EXCESS;
    }

    /** From now on a secret decides where machines are, if somebody seems to have chosen hashes. */
    private boolean spreadIfCrowded() {
        if (!isCrowded()) {
            return false;
        }
        drawSecret();
        rebuild(words.length);
        return true;
    }

    private void drawSecret() {
        excess = 0;
        spread = HashSpread.secret();
    }

    private void resize(int slots) {
        memory.charge((long) (slots - words.length) * SLOT_BYTES);
        rebuild(slots);
    }

    private void rebuild(int slots) {
        long[] oldHashes = hashes;
        int[] oldWords = words;
        hashes = new long[slots];
        words = new int[slots];
        do {
            Arrays.fill(words, FREE);
        } while (!fill(oldHashes, oldWords));
    }

    /**
     * Whether all were taken in. If they crowd, a secret was drawn, and this has to be repeated.
     */
    private boolean fill(long[] oldHashes, int[] oldWords) {
        for (int i = 0; i < oldWords.length; i++) {
            if (oldWords[i] != FREE) {
                int at = search(oldHashes[i]);
                if (isCrowded()) {
                    drawSecret();
                    return false;
                }
                hashes[at] = oldHashes[i];
                words[at] = oldWords[i];
            }
        }
        return true;
    }

    private int home(long hash) {
        return spread.slot(hash, words.length);
    }

    private int slot(long hash) {
        int at = search(hash);
        return spreadIfCrowded() ? search(hash) : at;
    }

    private int search(long hash) {
        int mask = words.length - 1;
        int home = home(hash);
        int at = home;
        while (words[at] != FREE && hashes[at] != hash) {
            at = (at + 1) & mask;
        }
        pass((at - home) & mask, LONG_SEARCH);
        return at;
    }

    /** The tick of a slot's word, told from the clock. */
    private long whole(int word) {
        int c = times.codeOf(StoreTicks.state(word));
        return StoreTicks.nearest(ticks.tick(c, clock.now()), word);
    }

    @Override
    public void forEachOpen(ExpiryListener listener) {
        for (int i = 0; i < words.length; i++) {
            if (words[i] != FREE && !times.isTerminal(StoreTicks.state(words[i]))) {
                int state = StoreTicks.state(words[i]);
                listener.expired(hashes[i], state, overMillis(state, whole(words[i])));
            }
        }
    }

    @Override
    public long machines() {
        return machines;
    }

    @Override
    public long machines(int state) {
        return byState[state];
    }

    @Override
    public double predictedError() {
        return 0;
    }

    @Override
    public long sizeInBytes() {
        return (long) words.length * SLOT_BYTES;
    }

    /** Whether a secret decides where machines are. */
    boolean hasSecret() {
        return spread.isSecret();
    }

    /** Slots of the table. */
    int slots() {
        return words.length;
    }

    /** Passes each machine with a time of its last tick. */
    interface Visitor {
        void visit(long hash, int state, long lastMillis) throws IOException;
    }

    void forEach(Visitor visitor) throws IOException {
        for (int i = 0; i < words.length; i++) {
            if (words[i] != FREE) {
                int state = StoreTicks.state(words[i]);
                int c = times.codeOf(state);
                visitor.visit(hashes[i], state, ticks.lastMillis(c, whole(words[i])));
            }
        }
    }

    /**
     * Takes in a machine that was read, whatever the memory.
     *
     * @param mostSlots up to which the table may grow
     * @return false if it is already there
     */
    boolean take(long hash, int state, long millis, int mostSlots) {
        clock.see(millis);
        // Grows with what actually arrives, up to the size that it had.
        if (4L * (machines + 1) > 3L * words.length && words.length < mostSlots) {
            resize(2 * words.length);
        }
        int at = slot(hash);
        if (words[at] != FREE) {
            return false;
        }
        hashes[at] = hash;
        machines++;
        set(at, StoreTicks.word(state, ticks.tick(times.codeOf(state), millis)));
        return true;
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
        ExactFormat.write(this, out);
    }

    /**
     * Reads what {@link #writeTo} wrote. The times may differ from the ones it was written with: no
     * machine times out earlier than the shorter of both would allow.
     *
     * @param source what is read, for messages
     * @throws io.sluice.filter.format.CorruptFilterException if the bytes are damaged
     * @throws io.sluice.filter.format.UnsupportedFormatException if another release wrote them
     */
    public static ExactStore readFrom(
            InputStream in, String source, StateTimes times, StoreMemory memory)
            throws IOException {
        return readFrom(in, source, times, memory, IntStream.range(0, times.states()).toArray());
    }

    /**
     * As the other, for a store that was written with other states.
     *
     * @param states the present number of each former state; negative to drop its machines
     */
    public static ExactStore readFrom(
            InputStream in, String source, StateTimes times, StoreMemory memory, int[] states)
            throws IOException {
        return ExactFormat.read(in, source, times, memory, states);
    }
}

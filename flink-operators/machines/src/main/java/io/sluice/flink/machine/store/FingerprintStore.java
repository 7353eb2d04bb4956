/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine.store;

import static java.util.Objects.requireNonNull;

import io.sluice.filter.FilterFullException;
import io.sluice.filter.quotient.QuotientMaplet;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.stream.LongStream;
import org.apache.flink.annotation.Internal;

/**
 * A store that knows each machine by a fingerprint of its hash, in a {@link QuotientMaplet} whose
 * values are states and ages ({@link StateAges}). Two machines with equal fingerprints are one
 * machine, which is the store's only error ({@link FingerprintPlan}): it never denies a machine,
 * and never is at a loss for a state. Machines that time out are known by number and state, as
 * their hashes are not held.
 *
 * <p>Memory of a machine: the bits of its fingerprint that its place does not tell, of its state
 * and age, and 2 2/3 more, over the load of the table, which doubles while there is memory. The
 * number of fingerprints is fixed, so with twice as many machines as were planned for, the error is
 * twice as large. A store without machines takes the fingerprints of the present plan.
 *
 * <p>Times are exact as long as they are between the oldest slice of a machine that has not timed
 * out and the latest that is believed, as the ages are so many; before the first watermark, as long
 * as they are no further apart than that. Otherwise, which is among wild times, behind a watermark
 * that was wrong and is taken back by a restore, or where there would be more than {@value
 * StateAges#MAX_AGES} ages, a machine that was used before the window of its class counts as used
 * at the beginning of it: it times out later, and never earlier.
 *
 * <p>O(1) per operation, amortised, as long as nobody chooses hashes; else a few hundred blocks of
 * the table, and machines that find no room. {@link #advance} visits all machines once per slice,
 * and an eviction visits all to free a sixteenth of them. Not thread-safe.
 */
@Internal
public final class FingerprintStore implements StateStore {

    /** {@link #bases}: no machine of the class was held yet. */
    private static final long NONE = Long.MIN_VALUE;

    /** {@link #tops}: the same. Leaves room for ages to be taken from it. */
    private static final long NO_TOP = Long.MIN_VALUE / 2;

    /** The fraction of the machines that an eviction removes. */
    private static final int EVICTED_PART = 16;

    private final StateTimes times;
    private final StoreMemory.Claim memory;
    private final FingerprintPlan wanted;

    /** For each class, the first slice that ages tell apart. */
    private final long[] bases;

    /** For each class, no machine was used in a later slice. */
    private final long[] tops;

    /** For each class, the slice of the last watermark. */
    private final long[] swept;

    private final long[] byState;

    /** The plan in force: of the present settings, or of what was read. */
    private FingerprintPlan plan;

    private QuotientMaplet table;

    /** Makes an empty store; its smallest table may exceed the memory. */
    FingerprintStore(FingerprintPlan plan, StateTimes times, StoreMemory memory) {
        this(plan, plan, plan.mostRemainderBits(), times, memory);
    }

    /**
     * Makes an empty store.
     *
     * @param plan in force as long as there are machines
     * @param wanted in force afterwards
     */
    FingerprintStore(
            FingerprintPlan plan,
            FingerprintPlan wanted,
            int remainderBits,
            StateTimes times,
            StoreMemory memory) {
        this.times = requireNonNull(times, "times");
        this.memory = requireNonNull(memory, "memory").claim();
        this.plan = plan;
        this.wanted = wanted;
        bases = new long[times.classes().count()];
        swept = new long[bases.length];
        byState = new long[times.states()];
        tops = new long[bases.length];
        Arrays.fill(bases, NONE);
        Arrays.fill(tops, NO_TOP);
        Arrays.fill(swept, Long.MIN_VALUE);
        take(plan.create(remainderBits));
    }

    private void take(QuotientMaplet next) {
        memory.charge(next.sizeInBytes() - (table == null ? 0 : table.sizeInBytes()));
        table = next;
    }

    @Override
    public int find(long hash, long millis, Lookup into, ExpiryListener expired) {
        into.begin(hash, millis);
        into.fingerprint = table.fingerprint(hash);
        int value = table.valueOf(into.fingerprint);
        if (value < 0) {
            return ABSENT;
        }
        int state = plan.ages().state(value);
        int c = times.codeOf(state);
        if (slice(c, millis) - held(value) > times.slices()) {
            expired.expired(letGo(into.fingerprint, value), 1);
            return ABSENT;
        }
        into.slot = value;
        into.state = state;
        return state;
    }

    @Override
    public Stored put(Lookup found, int state, ExpiryListener expired) {
        int c = times.codeOf(state);
        long slice = slice(c, found.millis);
        reach(c, slice);
        long noted = Math.max(slice, bases[c]);
        tops[c] = Math.max(tops[c], noted);
        if (found.slot < 0) {
            int value = plan.ages().value(c, state, noted);
            if (!insert(found, value, expired)) {
                return Stored.NO_ROOM;
            }
            byState[state]++;
            return Stored.YES;
        }
        // What was found may have another age by now.
        int before = table.valueOf(found.fingerprint);
        if (plan.ages().codeOf(before) == c) {
            noted = times.isTerminal(state) ? held(before) : Math.max(held(before), noted);
        }
        boolean unused =
                table.replace(found.fingerprint, before, plan.ages().value(c, state, noted));
        byState[plan.ages().state(before)]--;
        byState[state]++;
        return Stored.YES;
    }

    @Override
    public Stored remove(Lookup found) {
        if (found.slot >= 0) {
            int unused = letGo(found.fingerprint, found.slot);
            found.slot = -1;
        }
        return Stored.YES;
    }

    /** Drops a machine, and returns its state. */
    private int letGo(long fingerprint, int value) {
        boolean unused = table.take(fingerprint, value);
        int state = plan.ages().state(value);
        byState[state]--;
        return state;
    }

    /** The slice of the last use of a machine. */
    private long held(int value) {
        return plan.ages().slice(value, bases[plan.ages().codeOf(value)]);
    }

    private long slice(int ofClass, long millis) {
        long bounded = Math.max(-StateTimes.MAX_MILLIS, Math.min(StateTimes.MAX_MILLIS, millis));
        return Math.floorDiv(bounded, times.sliceMillis(ofClass));
    }

    /** Makes the ages of a class reach a slice. */
    private void reach(int ofClass, long slice) {
        if (bases[ofClass] == NONE) {
            bases[ofClass] = slice - times.slices() - 1;
            return;
        }
        long base = slice - plan.ages().ages(ofClass) + 1;
        if (base > bases[ofClass]) {
            LongStream early = chosen(value -> isBefore(value, ofClass, base));
            early.forEach(fingerprint -> note(fingerprint, base));
            bases[ofClass] = base;
        } else if (slice < bases[ofClass]) {
            // Partitions may be hours apart before the first watermark.
            long least = tops[ofClass] - plan.ages().ages(ofClass) + 1;
            bases[ofClass] = Math.min(bases[ofClass], Math.max(slice, least));
        }
    }

    private boolean isBefore(int value, int ofClass, long slice) {
        return plan.ages().codeOf(value) == ofClass && held(value) < slice;
    }

    /** Sets the slice of the last use of a machine. */
    private void note(long fingerprint, long slice) {
        int value = table.valueOf(fingerprint);
        int state = plan.ages().state(value);
        int other = plan.ages().value(plan.ages().codeOf(value), state, slice);
        boolean unused = table.replace(fingerprint, value, other);
    }

    /** Chooses machines by their values. */
    @FunctionalInterface
    private interface Choice {
        boolean takes(int value);
    }

    /** The fingerprints of the chosen machines, which may change then. */
    private LongStream chosen(Choice choice) {
        LongStream.Builder fingerprints = LongStream.builder();
        table.forEach(
                (fingerprint, value) -> {
                    if (choice.takes(value)) {
                        fingerprints.add(fingerprint);
                    }
                });
        return fingerprints.build();
    }

    private boolean insert(Lookup found, int value, ExpiryListener expired) {
        while (true) {
            boolean hasSlot = table.size() < table.capacity();
            if (hasSlot && put(found.fingerprint, value)) {
                return true;
            }
            if (grow()) {
                continue;
            }
            if (hasSlot || memory.whenFull() != WhenFull.EVICT) {
                memory.refuse(growth());
                return false;
            }
            evict(found.millis, expired);
        }
    }

    /** Whether there is room: below the capacity it is missing where hashes crowd. */
    private boolean put(long fingerprint, int value) {
        try {
            table.put(fingerprint, value);
            return true;
        } catch (FilterFullException e) {
            return false;
        }
    }

    /** Bytes that the next larger table takes more. */
    private long growth() {
        long next = plan.tableBytes(table.remainderBits() - 1);
        return next == Long.MAX_VALUE ? next : next - plan.tableBytes(table.remainderBits());
    }

    private boolean grow() {
        long growth = growth();
        return growth != Long.MAX_VALUE
                && memory.hasRoom(growth)
                && split(table.remainderBits() - 1);
    }

    private boolean split(int remainderBits) {
        try {
            take(table.split(remainderBits));
            return true;
        } catch (FilterFullException e) {
            // Where hashes crowd there may be no room in another table either.
            return false;
        }
    }

    private void evict(long now, ExpiryListener expired) {
        Eviction victims = new Eviction(times, byState);
        table.forEach(
                (fingerprint, value) -> victims.see(plan.ages().state(value), usedUp(value, now)));
        victims.choose((int) Math.max(1, table.size() / EVICTED_PART));
        long[] dropped = new long[byState.length];
        chosen(value -> victims.take(plan.ages().state(value), usedUp(value, now)))
                .forEach(fingerprint -> dropped[letGo(fingerprint, table.valueOf(fingerprint))]++);
        memory.countEvicted(LongStream.of(dropped).sum());
        report(dropped, expired);
    }

    private static void report(long[] dropped, ExpiryListener expired) {
        for (int state = 0; state < dropped.length; state++) {
            if (dropped[state] > 0) {
                expired.expired(state, dropped[state]);
            }
        }
    }

    /** The part of its time-to-live that a machine has used up, 0 to {@link Eviction#ALL}. */
    private int usedUp(int value, long now) {
        long idle = Math.max(0, slice(plan.ages().codeOf(value), now) - held(value));
        return (int) (Math.min(idle, times.slices() + 1L) * Eviction.ALL / (times.slices() + 1));
    }

    @Override
    public void advance(long watermark, long latest, ExpiryListener expired) {
        boolean isNewSlice = false;
        for (int c = 0; c < swept.length; c++) {
            long slice = slice(c, watermark);
            isNewSlice |= slice > swept[c];
            swept[c] = Math.max(swept[c], slice);
        }
        if (isNewSlice) {
            sweep(latest, expired);
            shrink();
        }
    }

    /**
     * Drops what has timed out, and makes the ages reach from the oldest machine that has not.
     * Machines that were used after {@code latest} count as used then.
     */
    private void sweep(long latest, ExpiryListener expired) {
        long[] first = new long[bases.length];
        long[] last = new long[bases.length];
        for (int c = 0; c < bases.length; c++) {
            last[c] = slice(c, latest);
            long oldest = swept[c] - times.slices() - 1;
            long limit = Math.max(oldest, last[c] - plan.ages().ages(c) + 1);
            first[c] = Math.max(oldest, Math.min(bases[c], limit));
        }
        long[] dropped = new long[byState.length];
        chosen(value -> between(value, first, last) != held(value) || isOver(value, first, last))
                .forEach(
                        fingerprint -> {
                            int value = table.valueOf(fingerprint);
                            if (isOver(value, first, last)) {
                                dropped[letGo(fingerprint, value)]++;
                            } else {
                                note(fingerprint, between(value, first, last));
                            }
                        });
        for (int c = 0; c < bases.length; c++) {
            bases[c] = first[c];
            tops[c] = Math.min(tops[c], last[c]);
        }
        report(dropped, expired);
    }

    /** The slice of the last use of a machine, moved between the bounds of its class. */
    private long between(int value, long[] first, long[] last) {
        int c = plan.ages().codeOf(value);
        return Math.max(first[c], Math.min(last[c], held(value)));
    }

    private boolean isOver(int value, long[] first, long[] last) {
        int c = plan.ages().codeOf(value);
        return swept[c] - between(value, first, last) > times.slices();
    }

    private void shrink() {
        if (table.size() == 0 && plan.fingerprints() != wanted.fingerprints()) {
            plan = wanted;
            take(plan.create(plan.mostRemainderBits()));
        }
        // Not a table that would have to grow again soon.
        int bits = plan.remainderBits(2.0 * table.size());
        if (bits > table.remainderBits()) {
            boolean unused = split(bits);
        }
    }

    @Override
    public void forEachOpen(ExpiryListener listener) {
        for (int state = 0; state < byState.length; state++) {
            if (byState[state] > 0 && !times.isTerminal(state)) {
                listener.expired(state, byState[state]);
            }
        }
    }

    @Override
    public long machines() {
        return table.size();
    }

    @Override
    public long machines(int state) {
        return byState[state];
    }

    @Override
    public double predictedError() {
        return plan.error((double) table.size());
    }

    @Override
    public long sizeInBytes() {
        return table.sizeInBytes();
    }

    QuotientMaplet table() {
        return table;
    }

    StateAges ages() {
        return plan.ages();
    }

    StateTimes times() {
        return times;
    }

    /** The first slice that the ages of a class tell apart. */
    long base(int ofClass) {
        return bases[ofClass] == NONE ? 0 : bases[ofClass];
    }

    /** Sets it, in a store without machines. */
    void base(int ofClass, long slice) {
        bases[ofClass] = slice;
    }

    /** Takes in a machine that was read, whatever the memory. */
    void take(long fingerprint, int state, long slice) {
        int c = times.codeOf(state);
        long noted = Math.max(slice, bases[c]);
        tops[c] = Math.max(tops[c], noted);
        table.put(fingerprint, plan.ages().value(c, state, noted));
        byState[state]++;
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
        FingerprintFormat.write(this, out);
    }

    /**
     * Reads what {@link #writeTo} wrote. States, their times and the plan may differ from the ones
     * it was written with: no machine times out earlier than the shorter times would allow, and the
     * fingerprints stay those that were written as long as there are machines.
     *
     * @param source what is read, for messages
     * @param states the present number of each former state; negative to drop its machines
     * @throws io.sluice.filter.format.CorruptFilterException if the bytes are damaged
     * @throws io.sluice.filter.format.UnsupportedFormatException if a newer release wrote them
     */
    static FingerprintStore readFrom(
            InputStream in,
            String source,
            FingerprintPlan plan,
            StateTimes times,
            StoreMemory memory,
            int[] states)
            throws IOException {
        return FingerprintFormat.read(in, source, plan, times, memory, states);
    }
}

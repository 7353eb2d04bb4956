/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.rate;

import io.sluice.bench.report.Spread;
import io.sluice.bench.run.Keys;
import java.util.function.LongSupplier;

/**
 * The lives of structures, timed: each is filled, looked up, emptied by a tenth, and refilled by
 * add-if-absent. The limit does a little of the same immediately before each timed operation: so
 * both sides of a ratio are measured within a second or two, whatever the machine does in the next
 * minute.
 */
public final class Life {
    private static final String LIMIT = "/limit";

    private final RemovableContender limit;
    private final int lookups;
    private final Rounds timed = new Rounds();

    /** Numbers of keys that were not looked up yet. */
    private long next;

    /** What is timed. */
    public enum Operation {
        INSERT("insert", "all keys into an empty structure"),
        INSERT_LAST("insertLast", "the last tenth of the keys"),
        PRESENT("present", "lookups of keys that are there, when full"),
        ABSENT("absent", "lookups of keys that are not there, when full"),
        ADD_IF_ABSENT("addIfAbsent", "from half full to full, half of the keys are there already"),
        REMOVE("remove", "a tenth of the keys, when full");

        /** The name in figures and columns. */
        public final String word;

        public final String meaning;

        Operation(String word, String meaning) {
            this.word = word;
            this.meaning = meaning;
        }
    }

    /**
     * No life yet.
     *
     * @param lookups per round and kind of lookup, and operations of the limit
     */
    public Life(OneLineLimit limit, int lookups) {
        this.limit = (RemovableContender) Contender.of(limit);
        this.lookups = lookups;
    }

    public Contender limit() {
        return limit;
    }

    /**
     * One life, from before the first key to after the last.
     *
     * @param whenFull run after the lookups, before anything is removed
     */
    public void live(Contender contender, int round, Runnable whenFull) {
        // Keeps the garbage of the previous one from being collected while this one is timed.
        System.gc();
        fill(contender, round);
        ask(contender, Operation.PRESENT.word, Keys.present(contender.capacity()), round);
        ask(contender, Operation.ABSENT.word, Keys.absent(), round);
        whenFull.run();
        if (contender instanceof RemovableContender removable) {
            long count = Math.max(1, contender.capacity() / 10);
            LongSupplier remove = () -> removable.remove(0, count);
            time(contender, Operation.REMOVE.word, round, count, this::removeFromLimit, remove);
        }
        refill(contender, round);
    }

    private long removeFromLimit() {
        return limit.remove(0, lookups);
    }

    private long insertIntoLimit() {
        return limit.insert(0, lookups);
    }

    private void fill(Contender contender, int round) {
        contender.structure().begin();
        long keys = contender.capacity();
        long most = keys - keys / 10;
        String all = name(contender.id(), Operation.INSERT.word);
        String tenth = name(contender.id(), Operation.INSERT_LAST.word);
        timed.time(all + LIMIT, round, lookups, this::insertIntoLimit);
        long start = System.nanoTime();
        contender.insert(0, most);
        long middle = System.nanoTime();
        timed.time(tenth + LIMIT, round, lookups, this::insertIntoLimit);
        long again = System.nanoTime();
        contender.insert(most, keys);
        long last = System.nanoTime() - again;
        timed.record(all, round, (double) (middle - start + last) / keys);
        timed.record(tenth, round, (double) last / (keys - most));
    }

    private void ask(Contender contender, String operation, Keys keys, int round) {
        long from = fresh(lookups);
        lookUp(
                contender,
                operation,
                round,
                keys,
                from,
                () -> contender.contains(keys, from, lookups));
    }

    /** Times lookups of another kind, of {@code lookups} keys beginning at {@code from}. */
    public void lookUp(
            Contender contender,
            String operation,
            int round,
            Keys keys,
            long from,
            LongSupplier operations) {
        LongSupplier limits = () -> limit.contains(keys, from, lookups);
        time(contender, operation, round, lookups, limits, operations);
    }

    /** From half full to full; half of the keys are already there. Then its memory is released. */
    public void refill(Contender contender, int round) {
        contender.structure().begin();
        long half = contender.capacity() / 2;
        contender.insert(0, half);
        Keys keys = Keys.half(half);
        long count = Keys.halvesThatFill(contender.capacity());
        long from = fresh(count);
        time(
                contender,
                Operation.ADD_IF_ABSENT.word,
                round,
                count,
                () -> limit.addIfAbsent(keys, from, lookups),
                () -> contender.addIfAbsent(keys, from, count));
        contender.structure().end();
    }

    /** Times the limit immediately before {@code contender} does an operation. */
    private void time(
            Contender contender,
            String operation,
            int round,
            long count,
            LongSupplier limits,
            LongSupplier operations) {
        String name = name(contender.id(), operation);
        timed.time(name + LIMIT, round, lookups, limits);
        timed.time(name, round, count, operations);
    }

    /** The rounds, for what else is timed between lives. */
    public Rounds rounds() {
        return timed;
    }

    private static String name(String id, String operation) {
        return id + "/" + operation;
    }

    /** Millions of operations a second, over the rounds. */
    public Spread throughput(String id, String operation) {
        return timed.throughput(name(id, operation));
    }

    /** Throughput over that of one random line. */
    public Spread ratioToLimit(String id, String operation) {
        String name = name(id, operation);
        return timed.ratio(name, name + LIMIT);
    }

    /** Throughput over that of another structure, by id. */
    public Spread ratio(String id, String peer, String operation) {
        return timed.ratio(name(id, operation), name(peer, operation));
    }

    /** The number of the first of {@code count} keys that were not looked up yet. */
    public long fresh(long count) {
        long from = next;
        next += count;
        return from;
    }
}

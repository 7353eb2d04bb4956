/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.kbf;

import io.sluice.bench.rate.Rounds;
import io.sluice.bench.report.BenchReport;
import io.sluice.bench.report.CsvTable;
import io.sluice.bench.run.Keys;
import io.sluice.capture.SplitMix64;
import io.sluice.filter.KeyValueFilter;
import io.sluice.filter.keyvalue.KeyValueBloomFilter;
import io.sluice.filter.keyvalue.code.CellCode;
import io.sluice.filter.keyvalue.code.CodeKind;
import io.sluice.filter.memory.Storage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Operations per second, one thread, filters larger than the cache, in turns. Keys come in the
 * order of their numbers, whose hashes are random, so nothing that an operation needs is in a
 * cache.
 */
final class KbfRates {

    private static final double BITS = 64;

    /** Enough for maplets: one wrong answer in ten million. */
    private static final int MAPLET_BITS = 32;

    private static final String QUOTIENT = "quotient maplet";
    private static final int ROUNDS = 5;
    private static final int BATCH = 256;
    private static final String BATCH_QUERY = "query in batches";
    private static final String BATCH_UPDATE = "update in batches";

    /** One of the filters, and its operations. */
    private record Entrant(String name, KeyValueFilter filter) {
        /** Whether its operations on many keys are more than a loop. */
        boolean hasBatches() {
            return filter instanceof KeyValueBloomFilter || filter instanceof QuotientMaplet;
        }
    }

    private final BenchReport report;
    private final int keys;
    private final int operations;

    /** Value of each key; changed by updates, and back. */
    private final byte[] values;

    private final long[] hashes = new long[BATCH];
    private final int[] oldValues = new int[BATCH];
    private final int[] newValues = new int[BATCH];
    private final int[] answers = new int[BATCH];
    private final boolean[] done = new boolean[BATCH];

    private long next;

    private KbfRates(BenchReport report) {
        this.report = report;
        keys = report.quick() ? 4_000_000 : 16_000_000;
        operations = 1_000_000;
        values = new byte[keys];
        int[] drawn = Workload.TCP.draw(keys, new java.util.SplittableRandom(1));
        for (int i = 0; i < keys; i++) {
            values[i] = (byte) drawn[i];
        }
    }

    static void run(BenchReport report) throws IOException {
        pairDecode(report);
        new KbfRates(report).run();
    }

    private void run() throws IOException {
        report.progress(
                "throughput, one thread, "
                        + keys
                        + " keys with TCP states, "
                        + (int) BITS
                        + " bits a key, "
                        + ROUNDS
                        + " rounds in turns");
        List<Entrant> entrants = new ArrayList<>();
        entrants.add(new Entrant("kBF", sized(6, Storage.HEAP)));
        entrants.add(new Entrant("kBF, k = 3", sized(3, Storage.HEAP)));
        entrants.add(new Entrant("cuckoo maplet", new CuckooMaplet(keys, 11, MAPLET_BITS)));
        entrants.add(new Entrant(QUOTIENT, QuotientMaplet.ofBitsPerKey(keys, 11, MAPLET_BITS)));
        entrants.add(new Entrant("fastutil map", new ExactMap(keys, 11)));
        Rounds rounds = new Rounds();
        race(rounds, entrants);
        // Alone and last: code that has seen both storages is slower with either.
        List<Entrant> offHeap = List.of(new Entrant("kBF off heap", sized(6, Storage.OFF_HEAP)));
        race(rounds, offHeap);
        entrants.addAll(offHeap);
        write(rounds, entrants);
    }

    private void race(Rounds rounds, List<Entrant> entrants) {
        for (Entrant entrant : entrants) {
            for (int i = 0; i < keys; i++) {
                entrant.filter.insert(Keys.key(i), values[i]);
            }
        }
        for (int round = 0; round <= ROUNDS; round++) {
            int from = (int) (next % (keys - operations));
            next += operations;
            for (Entrant entrant : entrants) {
                measure(rounds, round, entrant, from);
            }
        }
    }

    private KeyValueBloomFilter sized(int mostProbes, Storage storage) {
        return KeyValueBloomFilter.builder()
                .probabilities(Workload.TCP.probabilities())
                .mostProbes(mostProbes)
                .sized(keys, BITS)
                .storage(storage)
                .build();
    }

    private void measure(Rounds rounds, int round, Entrant entrant, int from) {
        KeyValueFilter filter = entrant.filter;
        String name = entrant.name + "/";
        rounds.time(name + "query", round, operations, () -> query(filter, from, 0));
        rounds.time(name + "absent", round, operations, () -> query(filter, from, keys));
        rounds.time(name + "update", round, operations, () -> update(filter, from, 1));
        // Changed back, so that all filters and the next round see the same values.
        rounds.time(name + "update back", round, operations, () -> update(filter, from, -1));
        if (entrant.hasBatches()) {
            rounds.time(name + BATCH_QUERY, round, operations, () -> queryAll(filter, from));
            rounds.time(name + BATCH_UPDATE, round, operations, () -> updateAll(filter, from));
            update(filter, from, -1);
        }
        rounds.time(name + "delete", round, operations, () -> delete(filter, from));
        rounds.time(name + "insert", round, operations, () -> insert(filter, from));
    }

    private long query(KeyValueFilter filter, long from, int beyond) {
        long sum = 0;
        for (long i = from; i < from + operations; i++) {
            sum += filter.query(Keys.key(i + beyond));
        }
        return sum;
    }

    /** Changes a key from its initial value to the next one, or back. */
    private long update(KeyValueFilter filter, long from, int direction) {
        long count = 0;
        for (long i = from; i < from + operations; i++) {
            int given = values[(int) i];
            int other = next(given);
            count +=
                    filter.update(
                                    Keys.key(i),
                                    direction > 0 ? given : other,
                                    direction > 0 ? other : given)
                            ? 1
                            : 0;
        }
        return count;
    }

    private static int next(int value) {
        return value == 10 ? 0 : value + 1;
    }

    /** Like {@link #query}; the time includes making the batches. */
    private long queryAll(KeyValueFilter filter, long from) {
        long found = 0;
        for (long begin = from; begin < from + operations; begin += BATCH) {
            int n = (int) Math.min(BATCH, from + operations - begin);
            for (int i = 0; i < n; i++) {
                hashes[i] = Keys.key(begin + i);
            }
            found += filter.queryAll(hashes, 0, n, answers);
        }
        return found;
    }

    /** Like {@link #update} by 1; the time includes making the batches. */
    private long updateAll(KeyValueFilter filter, long from) {
        long count = 0;
        for (long begin = from; begin < from + operations; begin += BATCH) {
            int n = (int) Math.min(BATCH, from + operations - begin);
            for (int i = 0; i < n; i++) {
                hashes[i] = Keys.key(begin + i);
                oldValues[i] = values[(int) begin + i];
                newValues[i] = next(oldValues[i]);
            }
            count += filter.updateAll(hashes, oldValues, newValues, 0, n, done);
        }
        return count;
    }

    private long delete(KeyValueFilter filter, int first) {
        long count = 0;
        for (int i = first; i < first + operations; i++) {
            count += filter.delete(Keys.key(i), values[i]) ? 1 : 0;
        }
        return count;
    }

    private long insert(KeyValueFilter filter, int first) {
        for (int i = first; i < first + operations; i++) {
            filter.insert(Keys.key(i), values[i]);
        }
        return first;
    }

    private void write(Rounds rounds, List<Entrant> entrants) throws IOException {
        String[] operations = {
            "query", "absent", "update", "delete", "insert", BATCH_QUERY, BATCH_UPDATE
        };
        CsvTable table =
                new CsvTable(
                        "filter,bits_per_key,query,absent,update,delete,insert,"
                                + "query_in_batches,update_in_batches");
        for (Entrant entrant : entrants) {
            double bits = 8.0 * entrant.filter.sizeInBytes() / keys;
            List<Object> cells = new ArrayList<>(List.of(entrant.name.replace(",", ""), bits));
            StringBuilder line = new StringBuilder();
            for (String operation : operations) {
                boolean missing = operation.endsWith("in batches") && !entrant.hasBatches();
                double mops = missing ? 0 : rounds.mops(entrant.name + "/" + operation);
                cells.add(missing ? "" : mops);
                line.append(
                        missing ? "" : String.format(Locale.ROOT, "  %s %5.2f", operation, mops));
            }
            table.add(cells.toArray());
            report.progress("    %-16s %6.1f bits a key%s M/s", entrant.name, bits, line);
        }
        report.table("kbf_throughput.csv", table);
        figure(rounds, "query", "kBF/query", ">= 3", "present keys");
        figure(rounds, "queryAbsent", "kBF/absent", "", "absent keys");
        figure(rounds, "update", "kBF/update", ">= 3", "the old value named");
        String batches = BATCH + " keys a call";
        figure(rounds, "query.batched", "kBF/" + BATCH_QUERY, ">= 3", "present; " + batches);
        figure(rounds, "update.batched", "kBF/" + BATCH_UPDATE, ">= 3", batches);
        figure(rounds, "delete", "kBF/delete", "", "");
        figure(rounds, "insert", "kBF/insert", "", "");
        for (Entrant entrant : entrants) {
            if (!(entrant.filter instanceof KeyValueBloomFilter)) {
                rivalFigures(rounds, entrant);
            }
        }
        figure(rounds, "query3", "kBF, k = 3/query", "", "at most 3 cells a key; present keys");
        figure(rounds, "update3", "kBF, k = 3/update", "", "at most 3 cells a key");
    }

    private void figure(Rounds rounds, String name, String what, String goal, String note) {
        KeyValueBloomFilter shape = sized(what.startsWith("kBF,") ? 3 : 6, Storage.HEAP);
        report.add(
                "kbf." + name + ".mops",
                rounds.mops(what),
                "Mops/s",
                goal,
                "%s%d keys, %d MB, %s, k = %d; %s",
                note.isEmpty() ? "" : note + "; ",
                keys,
                shape.sizeInBytes() >> 20,
                shape.shape().code(),
                shape.shape().probes(),
                rounds.throughput(what));
    }

    /** The name in camel case. */
    private void rivalFigures(Rounds rounds, Entrant entrant) {
        String[] words = entrant.name.split(" ", 2);
        String id = words[0] + words[1].substring(0, 1).toUpperCase(Locale.ROOT);
        for (String operation : List.of("query", "absent", "update", "delete", "insert")) {
            String what = entrant.name + "/" + operation;
            report.add(
                    "kbf." + id + words[1].substring(1) + "." + operation + ".mops",
                    rounds.mops(what),
                    "Mops/s",
                    "",
                    "%d keys, %.1f bits a key; %s",
                    keys,
                    8.0 * entrant.filter.sizeInBytes() / keys,
                    rounds.throughput(what));
        }
    }

    /** Pairs are decoded by a few table lookups, however many values there are. */
    private static void pairDecode(BenchReport report) throws IOException {
        report.progress("decoding a cell of two");
        CsvTable table = new CsvTable("bits_of_symbol,nanoseconds");
        int[] sizes = {4, 8, 12, 16};
        Rounds rounds = new Rounds();
        for (int round = 0; round <= ROUNDS; round++) {
            for (int bits : sizes) {
                CellCode code = CodeKind.PRODUCT_PAIRS.create(1 << bits);
                int count = 1_000_000;
                rounds.time("pairs of " + bits, round, count, () -> decode(code, count));
            }
        }
        for (int bits : sizes) {
            table.add(bits, 1000 / rounds.mops("pairs of " + bits));
        }
        report.table("kbf_pair_decode.csv", table);
        report.add(
                "kbf.pairDecode.nanos",
                1000 / rounds.mops("pairs of 8"),
                "ns",
                "",
                "two symbols put together and decoded again; symbols of 8 bits;"
                        + " of 4, 12 and 16 bits %.1f, %.1f and %.1f ns",
                1000 / rounds.mops("pairs of 4"),
                1000 / rounds.mops("pairs of 12"),
                1000 / rounds.mops("pairs of 16"));
    }

    private static long decode(CellCode code, int count) {
        long sum = 0;
        int mask = code.symbols() - 1;
        for (int i = 0; i < count; i++) {
            long random = SplitMix64.mix(i);
            long word =
                    code.insert(
                            code.insert(code.empty(), (int) random & mask),
                            (int) (random >>> 32) & mask);
            sum += code.decode(word, 2);
        }
        return sum;
    }
}

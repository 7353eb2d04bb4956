/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.kbf;

import io.sluice.filter.KeyValueFilter;
import io.sluice.filter.keyvalue.KeyValueBloomFilter;
import io.sluice.filter.keyvalue.KeyValueShape;
import io.sluice.filter.keyvalue.KeyValueSizing;
import io.sluice.filter.keyvalue.code.CodeKind;
import io.sluice.filter.quotient.QuotientMaplet;
import io.sluice.papers.kbf.PaperKeyValueFilter;
import io.sluice.papers.kbf.StateBloomFilter;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Key-value filters beside the paper's, sBF, maplets and an exact map, for comparisons on other
 * streams. Made one at a time, because some are large.
 */
public final class KeyValueRivals {
    /** Names of some of them. */
    public static final String PAPER = "kBF of the paper";

    public static final String SIZED = "kBF sized";
    public static final String STATE_BLOOM = "sBF";
    public static final String CUCKOO_MAPLET = "cuckoo maplet";
    public static final String QUOTIENT_MAPLET = "quotient maplet";
    public static final String EXACT = "exact map";

    private static final String PRODUCT = "kBF product of 2";

    /** As in the paper; ours are equally narrow where cells are compared by number. */
    private static final int COUNTER_BITS = 3;

    /** Sizing of a filter by this library. */
    private static final int SIZED_COUNTER_BITS = 4;

    private static final int SIZED_MAX_PROBES = 6;

    /** Share of slots kept free in a maplet, so that the last keys find room. */
    private static final double MAPLET_ROOM = 1.1;

    private final int keys;
    private final int values;
    private final List<Rival> rivals = new ArrayList<>();

    private KeyValueRivals(int keys, int values) {
        this.keys = keys;
        this.values = values;
    }

    /**
     * One of the filters.
     *
     * @param probes cells or buckets of a key
     */
    public record Rival(String name, int probes, Supplier<KeyValueFilter> maker) {}

    /**
     * The same bits per key for all, each filter with its best number of probes.
     *
     * @param shares how often each value occurs, for filters that can use it
     */
    public static List<Rival> atEqualMemory(double bitsPerKey, int keys, double... shares) {
        int values = shares.length;
        KeyValueRivals all = new KeyValueRivals(keys, values);
        double paperCells = bitsPerKey / PaperKeyValueFilter.CELL_BITS;
        all.paper(paperCells, probes(paperCells));
        CodeKind code = CodeKind.PRODUCT_PAIRS;
        double cells = bitsPerKey / (COUNTER_BITS + code.wordBits(values));
        int k = probes(cells);
        long perProbe = all.perProbe(cells, k);
        KeyValueShape shape = new KeyValueShape(values, code, 0, COUNTER_BITS, k, perProbe, 0);
        all.add(PRODUCT, k, () -> build(shape));
        all.sized(bitsPerKey, shares);
        double stateCells = bitsPerKey / StateBloomFilter.cellBits(values);
        all.stateBloom(stateCells, probes(stateCells));
        int room = (int) (keys * MAPLET_ROOM);
        double bits = bitsPerKey / MAPLET_ROOM;
        all.add(CUCKOO_MAPLET, 2, () -> new CuckooMaplet(room, values, bits));
        all.add(QUOTIENT_MAPLET, 1, () -> QuotientMaplet.ofBitsPerKey(room, values, bits));
        all.exact();
        return all.rivals;
    }

    /** The probes of a Bloom filter with as many bits a key. */
    private static int probes(double cellsPerKey) {
        return (int) Math.max(1, Math.round(cellsPerKey * Math.log(2)));
    }

    private int perProbe(double cells, int k) {
        return (int) Math.ceil(cells * keys / k);
    }

    private void paper(double cells, int k) {
        add(PAPER, k, () -> PaperKeyValueFilter.create(k, perProbe(cells, k), values));
    }

    private void sized(double bitsPerKey, double... shares) {
        KeyValueSizing.Plan plan =
                KeyValueSizing.best(bitsPerKey, SIZED_COUNTER_BITS, SIZED_MAX_PROBES, shares);
        KeyValueShape shape = plan.shape(values, SIZED_COUNTER_BITS, keys, 0);
        add(SIZED, plan.probes(), () -> build(shape));
    }

    private static KeyValueBloomFilter build(KeyValueShape shape) {
        return KeyValueBloomFilter.builder().shape(shape, Long.MAX_VALUE).build();
    }

    private void stateBloom(double cells, int k) {
        add(STATE_BLOOM, k, () -> StateBloomFilter.create(k, perProbe(cells, k), values));
    }

    private void exact() {
        add(EXACT, 1, () -> new ExactMap(keys, values));
    }

    private void add(String name, int probes, Supplier<KeyValueFilter> maker) {
        rivals.add(new Rival(name, probes, maker));
    }
}

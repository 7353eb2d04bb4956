/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.window;

import io.sluice.bench.rate.NamedStructure;
import io.sluice.filter.hash.Hashing;
import io.sluice.filter.plane.Layout;
import io.sluice.papers.fbf.ForgetfulBloomFilter;
import io.sluice.papers.fbf.SeenRule;
import java.util.Locale;

/** The forgetful Bloom filter with N past filters, all of its slices full. */
public final class ForgetfulStructure extends NamedStructure {
    private static final long SAMPLE_IDS = 100_000;

    private final int past;
    private final double fpp;
    private final Layout layout;
    private final long idsPerSlice;
    private ForgetfulBloomFilter filter;
    private long inSlice;

    private ForgetfulStructure(double fpp, int past, Layout layout, long idsPerSlice) {
        super(
                "fbfN" + past + (layout == Layout.BLOCKED ? "" : "Scattered"),
                "FBF N=" + past + " " + layout.name().toLowerCase(Locale.ROOT),
                idsPerSlice * (past + 2));
        this.past = past;
        this.fpp = fpp;
        this.layout = layout;
        this.idsPerSlice = idsPerSlice;
    }

    /** Sized for as many ids as fit into {@code bytes}. */
    static ForgetfulStructure ofBytes(long bytes, double fpp, int past, Layout layout) {
        // Memory is proportional to the ids.
        long sample = create(SAMPLE_IDS, fpp, past, layout).sizeInBytes();
        return new ForgetfulStructure(
                fpp, past, layout, (long) ((double) bytes / sample * SAMPLE_IDS));
    }

    /** For {@code keys} ids, including the youngest and the oldest slice. */
    public static ForgetfulStructure ofKeys(long keys, double fpp, int past, Layout layout) {
        return new ForgetfulStructure(fpp, past, layout, keys / (past + 2));
    }

    private static ForgetfulBloomFilter create(long ids, double fpp, int past, Layout layout) {
        return ForgetfulBloomFilter.builder()
                .pastFilters(past)
                .rule(SeenRule.SLICES)
                .layout(layout)
                .sized(ids, fpp)
                .build();
    }

    @Override
    public void begin() {
        filter = create(idsPerSlice, fpp, past, layout);
        inSlice = 0;
    }

    @Override
    public void insert(long key) {
        addIfAbsent(key);
    }

    @Override
    public boolean contains(long key) {
        return filter.mightContain(Hashing.hash(key));
    }

    /** Refreshes when a slice is full: the N + 2 slices hold the latest ids. */
    @Override
    public boolean addIfAbsent(long key) {
        if (inSlice == idsPerSlice) {
            filter.refresh();
            inSlice = 0;
        }
        boolean added = filter.add(Hashing.hash(key));
        inSlice += added ? 1 : 0;
        return added;
    }

    @Override
    public long sizeInBytes() {
        return filter.sizeInBytes();
    }

    @Override
    public void end() {
        filter = null;
    }
}

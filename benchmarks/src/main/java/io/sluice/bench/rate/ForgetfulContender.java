/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.rate;

import io.sluice.filter.forgetful.ForgetfulBloomFilter;
import io.sluice.filter.forgetful.Layout;
import io.sluice.filter.forgetful.SeenRule;

/** The forgetful Bloom filter with N past filters, all of its slices full. */
final class ForgetfulContender implements Contender {
    private static final long SAMPLE_IDS = 100_000;

    private final int past;
    private final double fpp;
    private final Layout layout;
    private final long idsPerSlice;
    private ForgetfulBloomFilter filter;
    private long inSlice;

    ForgetfulContender(long bytes, double fpp, int past, Layout layout) {
        this.past = past;
        this.fpp = fpp;
        this.layout = layout;
        // Memory is proportional to the ids.
        this.idsPerSlice = (long) ((double) bytes / create(SAMPLE_IDS).sizeInBytes() * SAMPLE_IDS);
    }

    private ForgetfulBloomFilter create(long ids) {
        return ForgetfulBloomFilter.builder()
                .pastFilters(past)
                .rule(SeenRule.SLICES)
                .layout(layout)
                .sized(ids, fpp)
                .build();
    }

    @Override
    public String name() {
        return "FBF N=" + past + ", " + layout.name().toLowerCase(java.util.Locale.ROOT);
    }

    @Override
    public void fill() {
        filter = create(idsPerSlice);
        inSlice = 0;
        for (long i = 0; i < capacity(); i++) {
            arrive(Keys.key(i));
        }
    }

    /** Refreshes when a slice is full: the N + 2 slices hold the latest ids. */
    private boolean arrive(long hash) {
        if (inSlice == idsPerSlice) {
            filter.refresh();
            inSlice = 0;
        }
        boolean added = filter.add(hash);
        inSlice += added ? 1 : 0;
        return added;
    }

    /** All slices full. */
    @Override
    public long capacity() {
        return idsPerSlice * (past + 2);
    }

    @Override
    public long contains(Keys keys, long from, int count) {
        long hits = 0;
        for (long i = from; i < from + count; i++) {
            hits += filter.mightContain(keys.at(i)) ? 1 : 0;
        }
        return hits;
    }

    @Override
    public long addIfAbsent(Keys keys, long from, int count) {
        long added = 0;
        for (long i = from; i < from + count; i++) {
            added += arrive(keys.at(i)) ? 1 : 0;
        }
        return added;
    }

    @Override
    public long sizeInBytes() {
        return filter.sizeInBytes();
    }
}

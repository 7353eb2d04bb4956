/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.peer;

import io.sluice.filter.hash.Hashing;
import io.sluice.filter.plane.Layout;
import io.sluice.papers.fbf.ForgetfulBloomFilter;
import io.sluice.papers.fbf.SeenRule;

/** The forgetful Bloom filter with N past filters, blocked. All of its slices are full. */
public final class ForgetfulStructure implements Structure {
    private static final long SAMPLE_IDS = 100_000;

    private final ForgetfulBloomFilter filter;
    private final long idsPerSlice;
    private long inSlice;

    private ForgetfulStructure(Peer.Size size, int past) {
        idsPerSlice = (size.keys() + past + 1) / (past + 2);
        filter = create(idsPerSlice, size.fpp(), past);
    }

    /** With {@code past} past filters, for ids that include the youngest and the oldest slice. */
    public static Peer peer(int past) {
        return new Peer(
                "fbfN" + past,
                "FBF N=" + past + " blocked",
                false,
                size -> new ForgetfulStructure(size, past));
    }

    /** How many ids fit into {@code bytes}: memory is proportional to them. */
    public static long idsThatFit(long bytes, double fpp, int past) {
        long sample = create(SAMPLE_IDS, fpp, past).sizeInBytes();
        long perSlice = (long) ((double) bytes / sample * SAMPLE_IDS);
        return perSlice * (past + 2);
    }

    private static ForgetfulBloomFilter create(long ids, double fpp, int past) {
        return ForgetfulBloomFilter.builder()
                .pastFilters(past)
                .rule(SeenRule.SLICES)
                .layout(Layout.BLOCKED)
                .sized(ids, fpp)
                .build();
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
}

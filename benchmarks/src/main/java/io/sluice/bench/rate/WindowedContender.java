/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.rate;

import io.sluice.filter.forgetful.Layout;
import io.sluice.filter.forgetful.MemoryBudget;
import io.sluice.filter.forgetful.OverflowPolicy;
import io.sluice.filter.forgetful.WindowOptions;
import io.sluice.filter.forgetful.WindowedFilter;

/**
 * The windowed filter in its steady state: ids come at a constant rate, the clock goes with them,
 * and what is older than the window is forgotten on the way, rotations and sweeps included.
 */
final class WindowedContender implements Contender {
    private static final long WINDOW_MILLIS = 1L << 40;
    private static final long SAMPLE_IDS = 1_000_000;

    /** Numbers of the keys that come before the window of {@link #fill}. */
    private static final long WARM_UP = 1L << 52;

    private final long capacity;
    private final double fpp;
    private final Layout layout;
    private WindowedFilter filter;
    private long arrived;

    /** As many ids a window as fit into {@code bytes}. */
    WindowedContender(long bytes, double fpp, Layout layout) {
        this(fpp, layout, (long) (bytes / bytesPerId(fpp, layout)));
    }

    WindowedContender(double fpp, Layout layout, long perWindow) {
        this.fpp = fpp;
        this.layout = layout;
        this.capacity = perWindow;
    }

    /** Ids that {@code bytes} hold within a window: from a sample, memory is proportional. */
    private static double bytesPerId(double fpp, Layout layout) {
        WindowedFilter sample = create(SAMPLE_IDS, fpp, layout);
        for (long i = 0; i < SAMPLE_IDS / 2; i++) {
            sample.add(Keys.key(i), 0);
        }
        double bytes = sample.sizeInBytes();
        sample.close();
        return bytes / SAMPLE_IDS;
    }

    private static WindowedFilter create(long perWindow, double fpp, Layout layout) {
        WindowOptions options =
                WindowOptions.builder()
                        .windowMillis(WINDOW_MILLIS)
                        .falsePositiveProbability(fpp)
                        .expectedPerWindow(perWindow)
                        .layout(layout)
                        .onOverflow(OverflowPolicy.FAIL)
                        .build();
        return WindowedFilter.create(options, new MemoryBudget(1L << 32), 0);
    }

    @Override
    public String name() {
        return "windowed filter, " + layout.name().toLowerCase(java.util.Locale.ROOT);
    }

    @Override
    public void fill() {
        filter = create(capacity, fpp, layout);
        arrived = 0;
        for (long i = 0; i < capacity / 4; i++) {
            arrive(Keys.key(WARM_UP + i));
        }
        for (long i = 0; i < capacity; i++) {
            arrive(Keys.key(i));
        }
    }

    /** One id, and the clock at the rate that fills the capacity in a window. */
    private boolean arrive(long hash) {
        if ((arrived & 0xfff) == 0) {
            filter.advanceTo(now());
        }
        boolean added = filter.add(hash, filter.clock());
        arrived += added ? 1 : 0;
        return added;
    }

    private long now() {
        return (long) ((double) arrived / capacity * WINDOW_MILLIS);
    }

    @Override
    public long capacity() {
        return capacity;
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

    WindowedFilter filter() {
        return filter;
    }
}

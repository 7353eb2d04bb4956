/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.peer;

import io.sluice.filter.forgetful.ForgetfulFilter;
import io.sluice.filter.forgetful.MemoryBudget;
import io.sluice.filter.forgetful.OverflowPolicy;
import io.sluice.filter.forgetful.WindowOptions;
import io.sluice.filter.hash.Hashing;
import io.sluice.filter.plane.Layout;

/**
 * The forgetful filter in its steady state: ids come at a constant rate, the clock follows them,
 * and ids older than the window are forgotten meanwhile; includes rotations and sweeps.
 */
public final class ForgetfulStructure implements Structure {
    private static final long WINDOW_MILLIS = 1L << 40;

    /** The clock advances after this many ids, a power of two. */
    private static final long TICK = 4096;

    /** Numbers of the keys that precede the window. */
    private static final long WARM_UP = 1L << 52;

    private final ForgetfulFilter filter;
    private final long perWindow;
    private long arrived;

    /**
     * For {@code perWindow} ids a window. Empty except for a quarter of a window of earlier ids, so
     * that nothing happens for the first time.
     */
    public ForgetfulStructure(double fpp, Layout layout, long perWindow) {
        this.perWindow = perWindow;
        filter = create(perWindow, fpp, layout);
        // Whole ticks, so that the first key is not older than the window when the last one comes.
        long before = perWindow / 4 / TICK * TICK;
        for (long i = 0; i < before; i++) {
            addIfAbsent(Keys.key(WARM_UP + i));
        }
    }

    private static ForgetfulFilter create(long perWindow, double fpp, Layout layout) {
        WindowOptions options =
                WindowOptions.builder()
                        .windowMillis(WINDOW_MILLIS)
                        .falsePositiveProbability(fpp)
                        .expectedPerWindow(perWindow)
                        .layout(layout)
                        .onOverflow(OverflowPolicy.FAIL)
                        .build();
        return ForgetfulFilter.create(options, new MemoryBudget(1L << 32), 0);
    }

    @Override
    public void insert(long key) {
        addIfAbsent(key);
    }

    @Override
    public boolean contains(long key) {
        return filter.mightContain(Hashing.hash(key), filter.clock());
    }

    /** Adds one id, and advances the clock at the rate that fills the capacity in a window. */
    @Override
    public boolean addIfAbsent(long key) {
        if ((arrived & (TICK - 1)) == 0) {
            filter.advanceTo((long) ((double) arrived / perWindow * WINDOW_MILLIS));
        }
        boolean added = filter.add(Hashing.hash(key), filter.clock());
        arrived += added ? 1 : 0;
        return added;
    }

    @Override
    public long sizeInBytes() {
        return filter.sizeInBytes();
    }

    @Override
    public void close() {
        filter.close();
    }
}

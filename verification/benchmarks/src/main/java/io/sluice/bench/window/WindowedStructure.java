/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.window;

import io.sluice.bench.rate.Keys;
import io.sluice.bench.rate.NamedStructure;
import io.sluice.filter.forgetful.ForgetfulFilter;
import io.sluice.filter.forgetful.MemoryBudget;
import io.sluice.filter.forgetful.OverflowPolicy;
import io.sluice.filter.forgetful.WindowOptions;
import io.sluice.filter.hash.Hashing;
import io.sluice.filter.plane.Layout;
import java.util.Locale;

/**
 * The windowed filter in its steady state: ids come at a constant rate, the clock follows them, and
 * ids older than the window are forgotten meanwhile; includes rotations and sweeps.
 */
public final class WindowedStructure extends NamedStructure {
    private static final long WINDOW_MILLIS = 1L << 40;

    /** The clock advances after this many ids, a power of two. */
    private static final long TICK = 4096;

    private static final long SAMPLE_IDS = 1_000_000;

    /** Numbers of the keys that precede the window of {@link #begin}. */
    private static final long WARM_UP = 1L << 52;

    private final double fpp;
    private final Layout layout;

    private ForgetfulFilter filter;
    private long arrived;

    /** For {@code perWindow} ids a window. */
    public WindowedStructure(double fpp, Layout layout, long perWindow) {
        super(
                "windowed" + word(layout),
                "windowed filter " + layout.name().toLowerCase(Locale.ROOT),
                perWindow);
        this.fpp = fpp;
        this.layout = layout;
    }

    private static String word(Layout layout) {
        String name = layout.name();
        return name.charAt(0) + name.substring(1).toLowerCase(Locale.ROOT);
    }

    /**
     * As many ids per window as fit into {@code bytes}, extrapolated from a sample: memory is
     * proportional.
     */
    static WindowedStructure ofBytes(long bytes, double fpp, Layout layout) {
        ForgetfulFilter sample = create(SAMPLE_IDS, fpp, layout);
        for (long i = 0; i < SAMPLE_IDS / 2; i++) {
            sample.add(Hashing.hash(Keys.key(i)), 0);
        }
        double perId = (double) sample.sizeInBytes() / SAMPLE_IDS;
        sample.close();
        return new WindowedStructure(fpp, layout, (long) (bytes / perId));
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

    /**
     * Empty except for a quarter of a window of earlier ids, so that nothing happens for the first
     * time.
     */
    @Override
    public void begin() {
        filter = create(capacity(), fpp, layout);
        arrived = 0;
        // Whole ticks, so that the first key is not older than the window when the last one comes.
        long before = capacity() / 4 / TICK * TICK;
        for (long i = 0; i < before; i++) {
            addIfAbsent(Keys.key(WARM_UP + i));
        }
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
            filter.advanceTo((long) ((double) arrived / capacity() * WINDOW_MILLIS));
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
    public void end() {
        filter.close();
        filter = null;
    }

    ForgetfulFilter filter() {
        return filter;
    }
}

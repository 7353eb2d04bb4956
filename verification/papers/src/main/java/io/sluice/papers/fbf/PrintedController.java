/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.fbf;

/**
 * Algorithm 3 to the letter: the estimate is equation 3, and filters are appended empty behind the
 * oldest. It has bounds only so that a simulation ends.
 */
final class PrintedController implements Controlled {
    private static final int MOST = 96;

    private final ForgetfulBloomFilter filter;
    private final double target;
    private final boolean adapts;
    private long period = 11_000;
    private long refreshed;
    private long decided;

    /** Controls an empty filter; if it does not adapt, it only refreshes every 11 s. */
    PrintedController(ForgetfulBloomFilter filter, double target, boolean adapts) {
        this.filter = filter;
        this.target = target;
        this.adapts = adapts;
    }

    @Override
    public boolean add(long hash) {
        filter.put(hash);
        return true;
    }

    @Override
    public boolean mightContain(long hash) {
        return filter.mightContain(hash);
    }

    @Override
    public void advanceTo(long now) {
        if (adapts && now >= decided + 1000) {
            decided = now;
            decide();
        }
        if (now >= refreshed + period) {
            refreshed = now;
            filter.refresh();
        }
    }

    private void decide() {
        double estimate =
                ForgetfulModel.equationThree(filter.slices(), filter.bits(), filter.hashes());
        if (estimate >= PaperResizePolicy.HIGH * target) {
            filter.append(Math.min(filter.filters(), MOST - filter.filters()));
            period = Math.max(1000, period - 1000);
        } else if (estimate <= PaperResizePolicy.LOW * target) {
            filter.dropOldest();
            period = Math.min(15_000, period + 1000);
        }
    }

    @Override
    public int filters() {
        return filter.filters();
    }
}

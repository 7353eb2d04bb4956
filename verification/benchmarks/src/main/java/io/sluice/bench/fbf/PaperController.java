/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.fbf;

import io.sluice.filter.plane.FalsePositiveModel;
import java.util.ArrayList;
import java.util.List;

/**
 * Algorithm 3 as printed, on filters as printed: above the target the number of filters doubles by
 * appending empty ones and the period shrinks by a second; below a tenth of the target the period
 * grows by a second and the oldest filter goes. Only bounds on both are added, so that the
 * simulation ends.
 */
final class PaperController implements AdaptiveFilter {
    private static final int FEWEST = 3;
    private static final int MOST = 96;
    private static final double SHORTEST_PERIOD = 1;
    private static final double LONGEST_PERIOD = 15;
    private static final double FIRST_PERIOD = 11;
    private static final double LOW_SHARE = 0.1;

    private final PlainFilters filters = new PlainFilters(FbfRun.BITS, FbfRun.HASHES, FEWEST - 2);

    /** Elements per filter, in the filters' order. */
    private final List<Integer> counts = new ArrayList<>(List.of(0, 0, 0));

    private final PlainFilters.Rule rule;
    private final double target;
    private final boolean adapts;
    private double period = FIRST_PERIOD;
    private double refreshed;

    PaperController(PlainFilters.Rule rule, double target, boolean adapts) {
        this.rule = rule;
        this.target = target;
        this.adapts = adapts;
    }

    @Override
    public boolean add(long hash, double now) {
        filters.add(hash);
        counts.set(0, counts.get(0) + 1);
        counts.set(1, counts.get(1) + 1);
        return true;
    }

    @Override
    public boolean mightContain(long hash) {
        return filters.contains(hash, rule);
    }

    @Override
    public void advance(double now) {
        if (now - refreshed >= period - 1e-9) {
            filters.refresh();
            counts.remove(counts.size() - 1);
            counts.add(0, 0);
            refreshed = now;
        }
    }

    @Override
    public void control() {
        if (!adapts) {
            return;
        }
        double current = estimate();
        if (current > target) {
            resize(Math.min(MOST, 2 * filters.count()));
            period = Math.max(SHORTEST_PERIOD, period - 1);
        } else if (current <= LOW_SHARE * target) {
            resize(Math.max(FEWEST, filters.count() - 1));
            period = Math.min(LONGEST_PERIOD, period + 1);
        }
    }

    private void resize(int count) {
        filters.resize(count);
        while (counts.size() < count) {
            counts.add(0);
        }
        while (counts.size() > count) {
            counts.remove(counts.size() - 1);
        }
    }

    @Override
    public double estimate() {
        double[] elements = counts.stream().mapToDouble(Integer::doubleValue).toArray();
        return FalsePositiveModel.equation3(elements, FbfRun.BITS, FbfRun.HASHES);
    }

    @Override
    public int filters() {
        return filters.count();
    }

    @Override
    public double period() {
        return period;
    }

    @Override
    public long sizeInBits() {
        return (long) filters.count() * FbfRun.BITS;
    }
}

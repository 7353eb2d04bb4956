/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.run;

import io.sluice.bench.report.Spread;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Values of what takes turns, one of each in a round: a disturbance of some seconds hits all, and
 * ratios are taken within a round.
 *
 * @param <N> names what was measured
 */
public final class Rates<N> {
    private final Map<N, List<Double>> values = new LinkedHashMap<>();

    /** Adds the value of the next round. */
    public void add(N name, double value) {
        values.computeIfAbsent(name, n -> new ArrayList<>()).add(value);
    }

    public boolean has(N name) {
        return values.containsKey(name);
    }

    /**
     * Median and range over the rounds.
     *
     * @throws IllegalArgumentException if nothing was added under {@code name}
     */
    public Spread of(N name) {
        return Spread.of(all(name));
    }

    public double median(N name) {
        return of(name).median();
    }

    /** The value of {@code name} divided by that of {@code peer}, over the rounds of both. */
    public Spread ratio(N name, N peer) {
        List<Double> ours = all(name);
        List<Double> theirs = all(peer);
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < Math.min(ours.size(), theirs.size()); i++) {
            ratios.add(ours.get(i) / theirs.get(i));
        }
        return Spread.of(ratios);
    }

    private List<Double> all(N name) {
        if (!has(name)) {
            throw new IllegalArgumentException(name + " was not measured");
        }
        return values.get(name);
    }
}

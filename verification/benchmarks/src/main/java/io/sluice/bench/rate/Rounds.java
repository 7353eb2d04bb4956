/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.rate;

import io.sluice.bench.report.Spread;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Times named operations in rounds: every round runs each operation once, so that a disturbance of
 * some seconds hits all of them, and ratios are taken within a round. The first round warms up and
 * is not counted.
 */
public final class Rounds {
    /** Consumes the results of the operations, so that they are computed. */
    private long checksum;

    private final Map<String, List<Double>> nanosPerOperation = new LinkedHashMap<>();

    /**
     * Runs {@code operation}, which does {@code count} operations and returns something that
     * depends on all of them.
     */
    public void time(String name, int round, long count, LongSupplier operation) {
        long start = System.nanoTime();
        checksum ^= operation.getAsLong();
        record(name, round, (double) (System.nanoTime() - start) / count);
    }

    /** Records a time measured elsewhere, in nanoseconds per operation. */
    public void record(String name, int round, double nanos) {
        if (round > 0) {
            nanosPerOperation.computeIfAbsent(name, n -> new ArrayList<>()).add(nanos);
        }
    }

    /** Median, in millions of operations per second. */
    public double mops(String name) {
        return 1000 / Spread.of(values(name)).median();
    }

    /** Millions of operations per second, over the rounds. */
    public Spread throughput(String name) {
        return Spread.of(values(name).stream().map(nanos -> 1000 / nanos).toList());
    }

    /** Throughput of {@code name} divided by that of {@code peer}, per round. */
    public Spread ratio(String name, String peer) {
        List<Double> ours = values(name);
        List<Double> theirs = values(peer);
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < ours.size(); i++) {
            ratios.add(theirs.get(i) / ours.get(i));
        }
        return Spread.of(ratios);
    }

    public long checksum() {
        return checksum;
    }

    private List<Double> values(String name) {
        List<Double> values = nanosPerOperation.get(name);
        if (values == null) {
            throw new IllegalArgumentException(name + " was not timed");
        }
        return values;
    }
}

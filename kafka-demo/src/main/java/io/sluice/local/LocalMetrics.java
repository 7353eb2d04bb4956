/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.local;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.DoubleStream;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Meter;
import org.apache.flink.metrics.Metric;
import org.apache.flink.metrics.MetricConfig;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.reporter.MetricReporter;

/**
 * The live metrics of a {@link LocalFlink}, read where they are: no polling interval, no server.
 * Metrics of tasks that ended are gone. Thread-safe; values may be of a moment ago, since tasks
 * write them without synchronization.
 */
public final class LocalMetrics implements MetricReporter {
    /** A reporter is created by its class name: this is how the cluster finds its own. */
    private static final Map<String, LocalMetrics> BY_NAME = new ConcurrentHashMap<>();

    private static final String OPERATOR = "<operator_name>";

    private record Key(String name, String operator) {}

    private final Map<Metric, Key> metrics = new ConcurrentHashMap<>();

    private LocalMetrics() {}

    static LocalMetrics register(String name) {
        LocalMetrics created = new LocalMetrics();
        BY_NAME.put(name, created);
        return created;
    }

    static void unregister(String name) {
        BY_NAME.remove(name);
    }

    static LocalMetrics named(String name) {
        LocalMetrics found = BY_NAME.get(name);
        if (found == null) {
            throw new IllegalArgumentException(
                    "option '"
                            + LocalMetricsFactory.NAME
                            + "' names no local cluster of this process, but is '"
                            + name
                            + "': this reporter is for the local cluster only");
        }
        return found;
    }

    /**
     * Sum over all subtasks of the operators whose name contains {@code operator}; 0 if there are
     * none.
     */
    public double sum(String operator, String metric) {
        return values(operator, metric).sum();
    }

    /** As {@link #sum} with the greatest value; 0 if there are none. */
    public double max(String operator, String metric) {
        return values(operator, metric).max().orElse(0);
    }

    private DoubleStream values(String operator, String metric) {
        return metrics.entrySet().stream()
                .filter(
                        e ->
                                e.getValue().name().equals(metric)
                                        && e.getValue().operator().contains(operator))
                .mapToDouble(e -> valueOf(e.getKey()))
                .filter(value -> !Double.isNaN(value));
    }

    /** Names of all metrics that operators whose name contains {@code operator} have, sorted. */
    public List<String> names(String operator) {
        return metrics.values().stream()
                .filter(key -> key.operator().contains(operator))
                .map(Key::name)
                .distinct()
                .sorted()
                .toList();
    }

    private static double valueOf(Metric metric) {
        if (metric instanceof Counter counter) {
            return counter.getCount();
        }
        if (metric instanceof Gauge<?> gauge && gauge.getValue() instanceof Number number) {
            return number.doubleValue();
        }
        return metric instanceof Meter meter ? meter.getRate() : Double.NaN;
    }

    @Override
    public void open(MetricConfig config) {}

    @Override
    public void close() {
        metrics.clear();
    }

    @Override
    public void notifyOfAddedMetric(Metric metric, String name, MetricGroup group) {
        String operator = group.getAllVariables().get(OPERATOR);
        if (operator != null) {
            metrics.put(metric, new Key(name, operator));
        }
    }

    @Override
    public void notifyOfRemovedMetric(Metric metric, String name, MetricGroup group) {
        metrics.remove(metric);
    }
}

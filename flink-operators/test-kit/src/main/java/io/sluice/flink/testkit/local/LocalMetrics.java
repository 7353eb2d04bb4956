/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.testkit.local;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.annotation.Experimental;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Meter;
import org.apache.flink.metrics.Metric;
import org.apache.flink.metrics.MetricConfig;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.reporter.MetricReporter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The live metrics of a {@link LocalFlink}, read directly: no polling interval, no server. Metrics
 * of tasks that ended are gone, except the sums of counters ({@link #total}). Thread-safe; values
 * may be slightly old, since tasks write them without synchronization.
 */
@Experimental
public final class LocalMetrics implements MetricReporter {
    private static final Logger LOG = LoggerFactory.getLogger(LocalMetrics.class);

    /** A reporter is created by its class name; it finds its cluster here. */
    private static final Map<String, LocalMetrics> BY_NAME = new ConcurrentHashMap<>();

    private static final String OPERATOR = "<operator_name>";
    private static final String SUBTASK = "<subtask_index>";

    /**
     * Where a metric belongs.
     *
     * @param operator empty for metrics of tasks, jobs and processes
     * @param identifier its full name
     */
    private record Key(
            String name, String operator, Map<String, String> variables, String identifier) {}

    private final Map<Metric, Key> metrics = new ConcurrentHashMap<>();

    /** Final values of counters whose tasks ended, by operator and name. */
    private final Map<String, Long> retired = new HashMap<>();

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

    /** Final values of integer gauges whose tasks ended, by operator, name and subtask. */
    private final Map<String, Long> lastShown = new HashMap<>();

    /** Final texts of gauges whose tasks ended, by operator and name. */
    private final Map<String, String> lastText = new HashMap<>();

    /**
     * The sum of the counters {@code metric} of {@code operator} since the cluster started, in
     * running and ended tasks; it never decreases. For gauges, the sum over all subtasks of the
     * present or final values.
     *
     * @param operator the full name
     */
    public synchronized long total(String operator, String metric) {
        long live =
                metrics.entrySet().stream()
                        .filter(
                                e ->
                                        e.getKey() instanceof Counter
                                                && e.getValue().name().equals(metric)
                                                && e.getValue().operator().equals(operator))
                        .mapToLong(e -> ((Counter) e.getKey()).getCount())
                        .sum();
        Map<String, Long> shown = new HashMap<>(lastShown);
        shown.keySet().removeIf(key -> !key.startsWith(operator + ' ' + metric + ' '));
        metrics.forEach(
                (each, key) -> {
                    if (each instanceof Gauge<?> gauge
                            && key.name().equals(metric)
                            && key.operator().equals(operator)
                            && gauge.getValue() instanceof Long value) {
                        shown.put(shownKey(key), value);
                    }
                });
        return live
                + retired.getOrDefault(operator + ' ' + metric, 0L)
                + shown.values().stream().mapToLong(Long::longValue).sum();
    }

    /**
     * What a gauge of {@code operator} shows as text, or showed when its task ended, in any
     * subtask; empty if none shows anything.
     *
     * @param operator the full name
     */
    public synchronized String text(String operator, String metric) {
        for (Map.Entry<Metric, Key> each : metrics.entrySet()) {
            Key key = each.getValue();
            if (key.name().equals(metric)
                    && key.operator().equals(operator)
                    && each.getKey() instanceof Gauge<?> gauge
                    && gauge.getValue() instanceof String text
                    && !text.isEmpty()) {
                return text;
            }
        }
        return lastText.getOrDefault(operator + ' ' + metric, "");
    }

    /**
     * The largest value for each value of a variable, such as each {@code <partition>}.
     *
     * @param variable in angle brackets; metrics without it are left out
     */
    public Map<String, Double> valuesBy(String operator, String metric, String variable) {
        Map<String, Double> values = new HashMap<>();
        metrics.forEach(
                (live, key) -> {
                    String value = key.variables().get(variable);
                    if (value != null
                            && key.name().equals(metric)
                            && key.operator().contains(operator)) {
                        values.merge(value, valueOf(live), Math::max);
                    }
                });
        return values;
    }

    /** How many metrics there are now, those of jobs and processes included. */
    public int registered() {
        return metrics.size();
    }

    /**
     * The present sum of all metrics whose full names end with {@code suffix}; those that have no
     * number at the moment add nothing. Empty if there is none.
     */
    public OptionalDouble sum(String suffix) {
        double[] values =
                metrics.entrySet().stream()
                        .filter(entry -> entry.getValue().identifier().endsWith(suffix))
                        .mapToDouble(entry -> valueOf(entry.getKey()))
                        .toArray();
        return values.length == 0
                ? OptionalDouble.empty()
                : OptionalDouble.of(
                        Arrays.stream(values).filter(value -> !Double.isNaN(value)).sum());
    }

    private static String shownKey(Key key) {
        return key.operator() + ' ' + key.name() + ' ' + key.variables().get(SUBTASK);
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
    public synchronized void notifyOfAddedMetric(Metric metric, String name, MetricGroup group) {
        Map<String, String> variables = group.getAllVariables();
        metrics.put(
                metric,
                new Key(
                        name,
                        variables.getOrDefault(OPERATOR, ""),
                        Map.copyOf(variables),
                        group.getMetricIdentifier(name)));
    }

    @Override
    public synchronized void notifyOfRemovedMetric(Metric metric, String name, MetricGroup group) {
        Key key = metrics.remove(metric);
        if (key == null || key.operator().isEmpty()) {
            return;
        }
        if (metric instanceof Counter counter) {
            retired.merge(key.operator() + ' ' + name, counter.getCount(), Long::sum);
        } else if (metric instanceof Gauge<?> gauge) {
            keepShown(key, gauge);
        }
    }

    private void keepShown(Key key, Gauge<?> gauge) {
        try {
            Object shown = gauge.getValue();
            if (shown instanceof Long value) {
                lastShown.put(shownKey(key), value);
            } else if (shown instanceof String text && !text.isEmpty()) {
                lastText.putIfAbsent(key.operator() + ' ' + key.name(), text);
            }
        } catch (RuntimeException e) {
            // Gauges of others may use what is closed by now.
            LOG.debug("Gauge '{}' of '{}' shows nothing at its end", key.name(), key.operator(), e);
        }
    }
}

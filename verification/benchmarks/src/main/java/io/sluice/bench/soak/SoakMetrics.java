/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.soak;

import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Metric;
import org.apache.flink.metrics.MetricConfig;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.reporter.MetricReporter;
import org.apache.flink.metrics.reporter.MetricReporterFactory;

/** The metrics of this process's cluster, read directly. */
public final class SoakMetrics implements MetricReporter, MetricReporterFactory {
    private static final Map<Metric, String> LIVE = new ConcurrentHashMap<>();

    static void configure(Configuration configuration) {
        configuration.setString("metrics.reporter.soak.factory.class", SoakMetrics.class.getName());
    }

    @Override
    public MetricReporter createMetricReporter(Properties properties) {
        return this;
    }

    /** Metrics that are registered now. */
    static int registered() {
        return LIVE.size();
    }

    /**
     * The sum of all metrics; those that have no number at the moment add nothing.
     *
     * @param suffix of their full names
     */
    static double sum(String suffix) {
        return LIVE.entrySet().stream()
                .filter(entry -> entry.getValue().endsWith(suffix))
                .mapToDouble(entry -> value(entry.getKey()))
                .filter(value -> !Double.isNaN(value))
                .sum();
    }

    /** Whether there is one whose full name ends so. */
    static boolean has(String suffix) {
        return LIVE.values().stream().anyMatch(name -> name.endsWith(suffix));
    }

    private static double value(Metric metric) {
        if (metric instanceof Counter counter) {
            return counter.getCount();
        }
        return metric instanceof Gauge<?> gauge && gauge.getValue() instanceof Number number
                ? number.doubleValue()
                : Double.NaN;
    }

    @Override
    public void open(MetricConfig config) {}

    @Override
    public void close() {
        LIVE.clear();
    }

    @Override
    public void notifyOfAddedMetric(Metric metric, String name, MetricGroup group) {
        LIVE.put(metric, group.getMetricIdentifier(name));
    }

    @Override
    public void notifyOfRemovedMetric(Metric metric, String name, MetricGroup group) {
        LIVE.remove(metric);
    }
}

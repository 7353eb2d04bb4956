/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.contract;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;

/** A group that keeps the gauges of all its groups by full name: as in Flink, the first of each. */
public final class Gauges extends UnregisteredMetricsGroup {
    private final Map<String, Gauge<?>> all;
    private final String prefix;

    public Gauges() {
        this(new TreeMap<>(), "");
    }

    private Gauges(Map<String, Gauge<?>> all, String prefix) {
        this.all = all;
        this.prefix = prefix;
    }

    @Override
    public <T, G extends Gauge<T>> G gauge(String name, G gauge) {
        all.putIfAbsent(prefix + name, gauge);
        return gauge;
    }

    @Override
    public MetricGroup addGroup(String name) {
        return new Gauges(all, prefix + name + '.');
    }

    @Override
    public MetricGroup addGroup(String key, String value) {
        return new Gauges(all, prefix + key + '.' + value + '.');
    }

    public Set<String> names() {
        return all.keySet();
    }

    public double value(String name) {
        return ((Number) all.get(name).getValue()).doubleValue();
    }
}

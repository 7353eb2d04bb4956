/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;

/** An operator's metric group that knows the names in it, for comparison with a dashboard. */
public final class DashboardMetrics extends UnregisteredMetricsGroup {
    private static final Path DASHBOARDS = Path.of("../../docker/grafana/dashboards");

    /** Names as Flink's Prometheus reporter writes them. */
    private static final Pattern IN_QUERY =
            Pattern.compile("flink_taskmanager_job_task_operator_([A-Za-z0-9_]+)");

    private final String prefix;
    private final Set<String> names;

    /** The operator's group, empty. */
    public DashboardMetrics() {
        this("", new TreeSet<>());
    }

    private DashboardMetrics(String prefix, Set<String> names) {
        this.prefix = prefix;
        this.names = names;
    }

    /** Checks that everything that the dashboard queries is here. */
    public void assertHaveAllOf(String dashboard) throws IOException {
        Set<String> asked = new TreeSet<>();
        Matcher matcher = IN_QUERY.matcher(Files.readString(DASHBOARDS.resolve(dashboard)));
        while (matcher.find()) {
            asked.add(matcher.group(1));
        }
        assertThat(asked).hasSizeGreaterThan(5);
        assertThat(names).containsAll(asked);
    }

    @Override
    public MetricGroup addGroup(String name) {
        return new DashboardMetrics(prefix + name + '_', names);
    }

    @Override
    public Counter counter(String name) {
        names.add(prefix + name);
        return super.counter(name);
    }

    @Override
    public <C extends Counter> C counter(String name, C counter) {
        names.add(prefix + name);
        return counter;
    }

    @Override
    public <T, G extends Gauge<T>> G gauge(String name, G gauge) {
        names.add(prefix + name);
        return gauge;
    }
}

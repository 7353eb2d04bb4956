/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.testkit.local;

import java.util.Properties;
import org.apache.flink.annotation.Internal;
import org.apache.flink.metrics.reporter.MetricReporter;
import org.apache.flink.metrics.reporter.MetricReporterFactory;

/** Gives Flink the {@link LocalMetrics} of a {@link LocalFlink}. Not for other use. */
@Internal
public final class LocalMetricsFactory implements MetricReporterFactory {
    /** Reporter option: which of this process's local clusters. */
    static final String NAME = "cluster";

    @Override
    public MetricReporter createMetricReporter(Properties properties) {
        return LocalMetrics.named(properties.getProperty(NAME));
    }
}

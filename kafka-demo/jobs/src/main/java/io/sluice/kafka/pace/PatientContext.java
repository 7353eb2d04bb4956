/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.kafka.pace;

import io.sluice.kafka.ForwardingContext;
import java.util.concurrent.Callable;
import java.util.function.BiConsumer;
import org.apache.flink.api.connector.source.SourceSplit;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.connector.source.SplitsAssignment;
import org.apache.flink.util.ExceptionUtils;
import org.apache.kafka.common.errors.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets a broker be away when it is asked for new partitions. The connector would fail the job,
 * although it asks again soon, and the partitions that it knows are read all the same.
 */
final class PatientContext<S extends SourceSplit> extends ForwardingContext<S> {
    private static final Logger LOG = LoggerFactory.getLogger(PatientContext.class);

    PatientContext(SplitEnumeratorContext<S> context) {
        super(context);
    }

    @Override
    protected SplitsAssignment<S> assigned(SplitsAssignment<S> assignment) {
        return assignment;
    }

    @Override
    public <T> void callAsync(Callable<T> callable, BiConsumer<T, Throwable> handler) {
        super.callAsync(callable, patient(handler));
    }

    @Override
    public <T> void callAsync(
            Callable<T> callable,
            BiConsumer<T, Throwable> handler,
            long initialDelay,
            long period) {
        super.callAsync(callable, patient(handler), initialDelay, period);
    }

    private static <T> BiConsumer<T, Throwable> patient(BiConsumer<T, Throwable> handler) {
        return (result, failure) -> {
            if (failure != null
                    && ExceptionUtils.findThrowable(failure, TimeoutException.class).isPresent()) {
                LOG.warn("No broker says which partitions there are; it is asked again", failure);
            } else {
                handler.accept(result, failure);
            }
        };
    }
}

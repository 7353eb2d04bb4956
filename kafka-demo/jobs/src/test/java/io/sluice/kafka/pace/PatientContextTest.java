/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.kafka.pace;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.function.BiConsumer;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.connector.kafka.source.split.KafkaPartitionSplit;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;

class PatientContextTest {
    private final List<Object> handled = new ArrayList<>();

    /** What is asked fails, or else has a result. */
    private void ask(Exception failure, boolean isPeriodic) {
        PatientContext<KafkaPartitionSplit> patient = new PatientContext<>(asked(failure));
        BiConsumer<String, Throwable> handler =
                (result, thrown) -> handled.add(thrown == null ? result : thrown);
        if (isPeriodic) {
            patient.callAsync(() -> "partitions", handler, 0, 10);
        } else {
            patient.callAsync(() -> "partitions", handler);
        }
    }

    @SuppressWarnings("unchecked")
    private static SplitEnumeratorContext<KafkaPartitionSplit> asked(Exception failure) {
        return (SplitEnumeratorContext<KafkaPartitionSplit>)
                Proxy.newProxyInstance(
                        PatientContextTest.class.getClassLoader(),
                        new Class<?>[] {SplitEnumeratorContext.class},
                        (proxy, method, arguments) -> {
                            ((BiConsumer<String, Throwable>) arguments[1])
                                    .accept(failure == null ? "partitions" : null, failure);
                            return null;
                        });
    }

    @Test
    void aBrokerThatIsAwayFailsNoDiscovery() {
        for (boolean isPeriodic : new boolean[] {true, false}) {
            ask(new RuntimeException(new ExecutionException(new TimeoutException())), isPeriodic);
        }
        assertThat(handled).isEmpty();
    }

    @Test
    void whatItSaysAndAnyOtherFailureIsPassedOn() {
        Exception refused = new RuntimeException(new AuthorizationException("no"));
        for (boolean isPeriodic : new boolean[] {true, false}) {
            ask(null, isPeriodic);
            ask(refused, isPeriodic);
        }
        assertThat(handled).containsExactly("partitions", refused, "partitions", refused);
    }
}

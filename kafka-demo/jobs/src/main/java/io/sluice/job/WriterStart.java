/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job;

import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Collection;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.connector.kafka.sink.KafkaCommittable;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.connector.kafka.sink.KafkaWriterState;
import org.apache.flink.connector.kafka.sink.TransactionNamingStrategy;
import org.apache.flink.connector.kafka.sink.TwoPhaseCommittingStatefulSink.PrecommittingStatefulSinkWriter;
import org.apache.flink.util.ExceptionUtils;
import org.apache.kafka.clients.admin.Admin;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts a writer of the Kafka connector, and closes the client for administration that it used.
 * {@link KafkaSink} makes and starts a writer in one step, so nobody has hold of one that fails to
 * start. Here these are two steps.
 *
 * <p>What that takes is private to the connector, so it is looked for by name. Where it is not that
 * of version 5.0.0, the connector does it, and a warning says what that may cost.
 */
final class WriterStart {
    private static final Logger LOG = LoggerFactory.getLogger(WriterStart.class);

    private static final String WRITER =
            KafkaSink.class.getPackageName() + ".ExactlyOnceKafkaWriter";

    private final Constructor<?> constructor;
    private final Object[] arguments;
    private final Method initialize;
    private final Field client;

    /** Looks everything up, and makes nothing. */
    private WriterStart(
            KafkaSink<?> sink, WriterInitContext context, Collection<KafkaWriterState> recovered)
            throws ReflectiveOperationException {
        Class<?> writer = Class.forName(WRITER, false, KafkaSink.class.getClassLoader());
        this.constructor = writer.getDeclaredConstructors()[0];
        this.initialize = writer.getDeclaredMethod("initialize");
        this.client = writer.getDeclaredField("adminClient");
        constructor.setAccessible(true);
        initialize.setAccessible(true);
        client.setAccessible(true);
        Object naming = field(sink, "transactionNamingStrategy");
        this.arguments =
                new Object[] {
                    field(sink, "deliveryGuarantee"),
                    field(sink, "kafkaProducerConfig"),
                    field(sink, "transactionalIdPrefix"),
                    context,
                    field(sink, "recordSerializer"),
                    context.asSerializationSchemaInitializationContext(),
                    implementation(naming, "getAbortImpl"),
                    implementation(naming, "getImpl"),
                    recovered
                };
        requireParameters();
    }

    private static Object field(KafkaSink<?> sink, String name)
            throws ReflectiveOperationException {
        Field field = KafkaSink.class.getDeclaredField(name);
        field.setAccessible(true);
        return field.get(sink);
    }

    private static Object implementation(Object naming, String getter)
            throws ReflectiveOperationException {
        Method method = TransactionNamingStrategy.class.getDeclaredMethod(getter);
        method.setAccessible(true);
        return method.invoke(naming);
    }

    private void requireParameters() throws NoSuchMethodException {
        Class<?>[] types = constructor.getParameterTypes();
        boolean fits = types.length == arguments.length;
        for (int i = 0; fits && i < types.length; i++) {
            fits = types[i].isInstance(arguments[i]);
        }
        if (!fits) {
            throw new NoSuchMethodException(constructor + " has other parameters");
        }
    }

    /**
     * A writer that has started.
     *
     * @param sink which delivers exactly once
     */
    static <T> PrecommittingStatefulSinkWriter<T, KafkaWriterState, KafkaCommittable> of(
            KafkaSink<T> sink, WriterInitContext context, Collection<KafkaWriterState> recovered) {
        WriterStart start;
        try {
            start = new WriterStart(sink, context, recovered);
        } catch (ReflectiveOperationException | RuntimeException e) {
            LOG.warn(
                    "This flink-connector-kafka is not version 5.0.0. If its writers leave a client"
                            + " open, each restart of the job takes metaspace of the TaskManager:"
                            + " use that version, or watch Status.JVM.Memory.Metaspace.Used.",
                    e);
            return sink.restoreWriter(context, recovered);
        }
        return start.run();
    }

    @SuppressWarnings("unchecked")
    private <T> PrecommittingStatefulSinkWriter<T, KafkaWriterState, KafkaCommittable> run() {
        try {
            Object writer = constructor.newInstance(arguments);
            try {
                initialize.invoke(writer);
            } finally {
                closeClient(writer);
            }
            return (PrecommittingStatefulSinkWriter<T, KafkaWriterState, KafkaCommittable>) writer;
        } catch (InvocationTargetException e) {
            ExceptionUtils.rethrow(e.getCause());
            throw new AssertionError(e);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("the writer was made accessible before", e);
        }
    }

    /** The writer would open another one if it needed it again. */
    private void closeClient(Object writer) throws IllegalAccessException {
        if (client.get(writer) instanceof Admin open) {
            client.set(writer, null);
            open.close(Duration.ZERO);
        }
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import org.apache.flink.api.connector.sink2.Committer;
import org.apache.flink.api.connector.sink2.CommitterInitContext;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.connector.kafka.sink.KafkaCommittable;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.connector.kafka.sink.KafkaWriterState;
import org.apache.flink.connector.kafka.sink.TwoPhaseCommittingStatefulSink;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.streaming.api.connector.sink2.CommittableMessage;
import org.apache.flink.streaming.api.connector.sink2.SupportsPostCommitTopology;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.lineage.LineageVertex;
import org.apache.flink.streaming.api.lineage.LineageVertexProvider;
import org.apache.kafka.clients.admin.Admin;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A {@link KafkaSink} whose writers leave nothing behind. To find the transactions of the run
 * before, a writer with pooled names opens a client for administration, and version 5.0.0 of the
 * connector never closes it. So each start of a job leaves threads and connections, and with them
 * the classes of the job, until the TaskManager has no metaspace left. Here the client is closed as
 * soon as the writer has started, which is when it has been used.
 *
 * <p>A writer that fails while it starts still leaves its client: the connector gives no access to
 * it.
 */
final class ExactlyOnceSink<T>
        implements TwoPhaseCommittingStatefulSink<T, KafkaWriterState, KafkaCommittable>,
                SupportsPostCommitTopology<KafkaCommittable>,
                LineageVertexProvider {

    private static final long serialVersionUID = 1;

    private static final Logger LOG = LoggerFactory.getLogger(ExactlyOnceSink.class);

    /** A field of the connector's writer; private, so it is looked for by name. */
    private static final String CLIENT = "adminClient";

    private final KafkaSink<T> sink;

    ExactlyOnceSink(KafkaSink<T> sink) {
        this.sink = requireNonNull(sink, "sink");
    }

    @Override
    public PrecommittingStatefulSinkWriter<T, KafkaWriterState, KafkaCommittable> createWriter(
            WriterInitContext context) throws IOException {
        return restoreWriter(context, List.of());
    }

    @Override
    public PrecommittingStatefulSinkWriter<T, KafkaWriterState, KafkaCommittable> restoreWriter(
            WriterInitContext context, Collection<KafkaWriterState> recovered) {
        PrecommittingStatefulSinkWriter<T, KafkaWriterState, KafkaCommittable> writer =
                sink.restoreWriter(context, recovered);
        closeClient(writer);
        return writer;
    }

    /** The writer would open another one if it needed it again. */
    private static void closeClient(Object writer) {
        try {
            Field field = writer.getClass().getDeclaredField(CLIENT);
            field.setAccessible(true);
            if (field.get(writer) instanceof Admin client) {
                field.set(writer, null);
                client.close(Duration.ZERO);
            }
        } catch (ReflectiveOperationException | RuntimeException e) {
            LOG.warn(
                    "The Kafka connector's writer {} has no client that could be closed. If it"
                            + " leaves one open, each restart of the job takes metaspace of the"
                            + " TaskManager.",
                    writer.getClass().getName(),
                    e);
        }
    }

    @Override
    public SimpleVersionedSerializer<KafkaWriterState> getWriterStateSerializer() {
        return sink.getWriterStateSerializer();
    }

    @Override
    public Committer<KafkaCommittable> createCommitter(CommitterInitContext context)
            throws IOException {
        return sink.createCommitter(context);
    }

    @Override
    public SimpleVersionedSerializer<KafkaCommittable> getCommittableSerializer() {
        return sink.getCommittableSerializer();
    }

    @Override
    public void addPostCommitTopology(DataStream<CommittableMessage<KafkaCommittable>> committed) {
        sink.addPostCommitTopology(committed);
    }

    @Override
    public LineageVertex getLineageVertex() {
        return sink.getLineageVertex();
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import org.apache.flink.api.connector.sink2.Committer;
import org.apache.flink.api.connector.sink2.CommitterInitContext;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.kafka.sink.KafkaCommittable;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.connector.kafka.sink.KafkaSinkBuilder;
import org.apache.flink.connector.kafka.sink.KafkaWriterState;
import org.apache.flink.connector.kafka.sink.TwoPhaseCommittingStatefulSink;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.streaming.api.connector.sink2.CommittableMessage;
import org.apache.flink.streaming.api.connector.sink2.SupportsPostCommitTopology;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.lineage.LineageVertex;
import org.apache.flink.streaming.api.lineage.LineageVertexProvider;

/**
 * A {@link KafkaSink} whose writers leave nothing behind. To find the transactions of the run
 * before, a writer with pooled names opens a client for administration, and version 5.0.0 of the
 * connector never closes it. So each start of a job leaves threads and connections, and with them
 * the classes of the job, until the TaskManager has no metaspace left. Here the client is closed as
 * soon as the writer has started or failed to: then it has been used. Nor does a writer that cannot
 * be closed end the TaskManager: see {@link LenientClose}.
 */
final class JobSink<T>
        implements TwoPhaseCommittingStatefulSink<T, KafkaWriterState, KafkaCommittable>,
                SupportsPostCommitTopology<KafkaCommittable>,
                LineageVertexProvider {

    private static final long serialVersionUID = 1;

    private final KafkaSink<T> sink;
    private final boolean hasTransactions;

    private JobSink(KafkaSink<T> sink, boolean hasTransactions) {
        this.sink = requireNonNull(sink, "sink");
        this.hasTransactions = hasTransactions;
    }

    static <T> JobSink<T> exactlyOnce(KafkaSinkBuilder<T> builder) {
        return new JobSink<>(
                builder.setDeliveryGuarantee(DeliveryGuarantee.EXACTLY_ONCE).build(), true);
    }

    static <T> JobSink<T> atLeastOnce(KafkaSinkBuilder<T> builder) {
        return new JobSink<>(
                builder.setDeliveryGuarantee(DeliveryGuarantee.AT_LEAST_ONCE).build(), false);
    }

    @Override
    public PrecommittingStatefulSinkWriter<T, KafkaWriterState, KafkaCommittable> createWriter(
            WriterInitContext context) throws IOException {
        return restoreWriter(context, List.of());
    }

    @Override
    public PrecommittingStatefulSinkWriter<T, KafkaWriterState, KafkaCommittable> restoreWriter(
            WriterInitContext context, Collection<KafkaWriterState> recovered) {
        return new LenientClose<>(
                hasTransactions
                        ? WriterStart.of(sink, context, recovered)
                        : sink.restoreWriter(context, recovered));
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

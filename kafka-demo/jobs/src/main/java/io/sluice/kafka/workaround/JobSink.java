/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.kafka.workaround;

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
 * A {@link KafkaSink} whose writers do not end the TaskManager when they cannot be closed: see
 * {@link LenientClose}.
 */
public final class JobSink<T>
        implements TwoPhaseCommittingStatefulSink<T, KafkaWriterState, KafkaCommittable>,
                SupportsPostCommitTopology<KafkaCommittable>,
                LineageVertexProvider {

    private static final long serialVersionUID = 1;

    private final KafkaSink<T> sink;

    private JobSink(KafkaSink<T> sink) {
        this.sink = requireNonNull(sink, "sink");
    }

    public static <T> JobSink<T> exactlyOnce(KafkaSinkBuilder<T> builder) {
        return new JobSink<>(builder.setDeliveryGuarantee(DeliveryGuarantee.EXACTLY_ONCE).build());
    }

    public static <T> JobSink<T> atLeastOnce(KafkaSinkBuilder<T> builder) {
        return new JobSink<>(builder.setDeliveryGuarantee(DeliveryGuarantee.AT_LEAST_ONCE).build());
    }

    @Override
    public PrecommittingStatefulSinkWriter<T, KafkaWriterState, KafkaCommittable> createWriter(
            WriterInitContext context) throws IOException {
        return restoreWriter(context, List.of());
    }

    @Override
    public PrecommittingStatefulSinkWriter<T, KafkaWriterState, KafkaCommittable> restoreWriter(
            WriterInitContext context, Collection<KafkaWriterState> recovered) {
        return new LenientClose<>(sink.restoreWriter(context, recovered));
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

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.kafka.commit;

import static java.util.Objects.requireNonNull;

import io.sluice.kafka.workaround.LenientClose;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.api.connector.sink2.Committer;
import org.apache.flink.api.connector.sink2.CommitterInitContext;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.connector.base.DeliveryGuarantee;
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
 * A {@link KafkaSink} that does not lose records without a word when the broker has aborted their
 * transaction ({@link LostCommits}), and whose writers do not end the TaskManager when they cannot
 * be closed ({@link LenientClose}).
 *
 * @param <T> type of the written values
 */
public final class JobSink<T>
        implements TwoPhaseCommittingStatefulSink<T, KafkaWriterState, Committable>,
                SupportsPostCommitTopology<Committable>,
                LineageVertexProvider {

    private static final long serialVersionUID = 1;

    private final KafkaSink<T> sink;
    private final @Nullable LostCommits<T> lostCommits;

    private JobSink(KafkaSink<T> sink, @Nullable LostCommits<T> lostCommits) {
        this.sink = requireNonNull(sink, "sink");
        this.lostCommits = lostCommits;
    }

    /** A sink that writes in transactions, each of one checkpoint. */
    public static <T> JobSink<T> exactlyOnce(
            KafkaSinkBuilder<T> builder, LostCommits<T> lostCommits) {
        return new JobSink<>(
                builder.setDeliveryGuarantee(DeliveryGuarantee.EXACTLY_ONCE).build(),
                requireNonNull(lostCommits, "lostCommits"));
    }

    /** A sink without transactions. */
    public static <T> JobSink<T> atLeastOnce(KafkaSinkBuilder<T> builder) {
        return new JobSink<>(
                builder.setDeliveryGuarantee(DeliveryGuarantee.AT_LEAST_ONCE).build(), null);
    }

    @Override
    public PrecommittingStatefulSinkWriter<T, KafkaWriterState, Committable> createWriter(
            WriterInitContext context) throws IOException {
        return restoreWriter(context, List.of());
    }

    @Override
    public PrecommittingStatefulSinkWriter<T, KafkaWriterState, Committable> restoreWriter(
            WriterInitContext context, Collection<KafkaWriterState> recovered) {
        return new TrackingWriter<>(
                new LenientClose<>(sink.restoreWriter(context, recovered)), lostCommits);
    }

    @Override
    public SimpleVersionedSerializer<KafkaWriterState> getWriterStateSerializer() {
        return sink.getWriterStateSerializer();
    }

    @Override
    public Committer<Committable> createCommitter(CommitterInitContext context) throws IOException {
        return new CheckedCommitter<>(sink.createCommitter(context), lostCommits);
    }

    @Override
    public SimpleVersionedSerializer<Committable> getCommittableSerializer() {
        return new Committable.Serializer(sink.getCommittableSerializer());
    }

    /** The connector keeps writers and committers together, whatever goes between them. */
    @Override
    @SuppressWarnings({"unchecked", "rawtypes"})
    public void addPostCommitTopology(DataStream<CommittableMessage<Committable>> committed) {
        sink.addPostCommitTopology((DataStream) committed);
    }

    @Override
    public LineageVertex getLineageVertex() {
        return sink.getLineageVertex();
    }
}

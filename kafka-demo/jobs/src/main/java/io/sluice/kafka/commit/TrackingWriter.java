/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.kafka.commit;

import io.sluice.kafka.workaround.LenientClose;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.connector.kafka.sink.KafkaCommittable;
import org.apache.flink.connector.kafka.sink.KafkaWriterState;
import org.apache.flink.connector.kafka.sink.TwoPhaseCommittingStatefulSink.PrecommittingStatefulSinkWriter;

/** Notes what the values of each transaction are made from. */
final class TrackingWriter<T>
        implements PrecommittingStatefulSinkWriter<T, KafkaWriterState, Committable> {
    private final LenientClose<T> writer;
    private final @Nullable Provenance<T> provenance;

    private Origins origins = new Origins();

    /**
     * @param lostCommits null if there are no transactions
     */
    TrackingWriter(LenientClose<T> writer, @Nullable LostCommits<T> lostCommits) {
        this.writer = writer;
        this.provenance = lostCommits == null ? null : lostCommits.provenance();
    }

    @Override
    public void write(T value, Context context) throws IOException, InterruptedException {
        writer.write(value, context);
        if (provenance != null) {
            provenance.add(value, origins);
        } else {
            origins.add();
        }
    }

    @Override
    public Collection<Committable> prepareCommit() throws IOException, InterruptedException {
        Origins written = origins;
        origins = new Origins();
        List<Committable> committables = new ArrayList<>();
        for (KafkaCommittable transaction : writer.prepareCommit()) {
            committables.add(new Committable(transaction, written));
        }
        return committables;
    }

    @Override
    public void flush(boolean endOfInput) throws IOException, InterruptedException {
        writer.flush(endOfInput);
    }

    @Override
    public void writeWatermark(Watermark watermark) throws IOException, InterruptedException {
        writer.writeWatermark(watermark);
    }

    @Override
    public List<KafkaWriterState> snapshotState(long checkpointId) throws IOException {
        return writer.snapshotState(checkpointId);
    }

    @Override
    public void close() {
        writer.close();
    }
}

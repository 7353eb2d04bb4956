/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.kafka.workaround;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.connector.kafka.sink.KafkaCommittable;
import org.apache.flink.connector.kafka.sink.KafkaWriterState;
import org.apache.flink.connector.kafka.sink.TwoPhaseCommittingStatefulSink.PrecommittingStatefulSinkWriter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A writer whose {@link #close()} logs what goes wrong, and does not throw. Flink closes operators
 * when their task has failed or is cancelled, and takes an exception of that for a fatal error: the
 * TaskManager ends, with all jobs on it. A writer of the Kafka connector throws if the broker is
 * away or has fenced its producer, which is why the task failed in the first place.
 *
 * <p>FLINK-38790 mends one cause in version 5.0.0 of the connector, a transaction that closing
 * itself aborts. This class goes when {@code close()} of the connector's writers reports an
 * exception of the broker without throwing it.
 *
 * <p>No record is lost by it: what belongs to a checkpoint has been flushed, and {@link #flush}
 * throws. What was written since then comes again, and a transaction that it is in is not
 * committed.
 */
public final class LenientClose<T>
        implements PrecommittingStatefulSinkWriter<T, KafkaWriterState, KafkaCommittable> {
    private static final Logger LOG = LoggerFactory.getLogger(LenientClose.class);

    private final PrecommittingStatefulSinkWriter<T, KafkaWriterState, KafkaCommittable> writer;

    public LenientClose(
            PrecommittingStatefulSinkWriter<T, KafkaWriterState, KafkaCommittable> writer) {
        this.writer = requireNonNull(writer, "writer");
    }

    @Override
    public void write(T value, Context context) throws IOException, InterruptedException {
        writer.write(value, context);
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
    public Collection<KafkaCommittable> prepareCommit() throws IOException, InterruptedException {
        return writer.prepareCommit();
    }

    @Override
    public List<KafkaWriterState> snapshotState(long checkpointId) throws IOException {
        return writer.snapshotState(checkpointId);
    }

    @Override
    public void close() {
        try {
            writer.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            LOG.warn("Interrupted while a Kafka writer was closed", e);
        } catch (Exception e) {
            LOG.warn(
                    "A Kafka writer could not be closed in order. Its transaction is aborted when"
                        + " the job starts again, or by the broker after transaction.timeout.ms",
                    e);
        }
    }
}

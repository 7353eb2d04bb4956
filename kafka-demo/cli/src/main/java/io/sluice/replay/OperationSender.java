/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.replay;

import io.sluice.kafka.Brokers;
import io.sluice.record.PacketRecord;
import io.sluice.record.PacketRecordCodec;
import io.sluice.record.RecordLayout;
import java.io.Closeable;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;

/**
 * Hands operations to a Kafka producer. The key is the flow's hash, so a partition holds whole
 * flows; key and value arrays are reused, since the producer copies both before {@code send}
 * returns. Used by one thread.
 */
final class OperationSender implements Closeable {
    private static final VarHandle LONGS =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

    private final Producer<byte[], byte[]> producer;
    private final String topic;
    private final Brokers brokers;
    private final PacketRecordCodec codec = new PacketRecordCodec();
    private final byte[] key = new byte[Long.BYTES];
    private final byte[] value4 = new byte[RecordLayout.BYTES_4];
    private final byte[] value6 = new byte[RecordLayout.BYTES_6];
    private final AcknowledgedPrefix acknowledged;
    private long records;
    private long bytes;

    /** Counts the records from {@code firstRecord} on. */
    OperationSender(
            Producer<byte[], byte[]> producer, String topic, Brokers brokers, long firstRecord) {
        this.producer = producer;
        this.topic = topic;
        this.brokers = brokers;
        acknowledged = new AcknowledgedPrefix(firstRecord);
    }

    void send(PacketRecord operation, long timestampMillis) throws ReplayException {
        byte[] value = operation.ipVersion() == 4 ? value4 : value6;
        codec.encode(operation, value, 0);
        LONGS.set(key, 0, operation.flowHash());
        send(timestampMillis, key, value);
    }

    void sendForeign(Optional<byte[]> value, long timestampMillis) throws ReplayException {
        send(timestampMillis, null, value.orElse(null));
    }

    private void send(long timestampMillis, byte[] keyBytes, byte[] value) throws ReplayException {
        checkFailure();
        try {
            // The callback receives failures.
            Future<RecordMetadata> unused =
                    producer.send(
                            new ProducerRecord<>(topic, null, timestampMillis, keyBytes, value),
                            acknowledged.next());
        } catch (KafkaException e) {
            throw failed(e);
        }
        records++;
        bytes += (keyBytes == null ? 0 : keyBytes.length) + (value == null ? 0 : value.length);
    }

    /** Waits until everything sent is acknowledged. */
    void flush() throws ReplayException {
        try {
            producer.flush();
        } catch (KafkaException e) {
            throw failed(e);
        }
        checkFailure();
    }

    long records() {
        return records;
    }

    long bytes() {
        return bytes;
    }

    /** The number of the first record that is not known to be acknowledged. */
    long resumePoint() {
        return acknowledged.prefix();
    }

    void checkFailure() throws ReplayException {
        Exception failure = acknowledged.failure();
        if (failure != null) {
            throw failed(failure);
        }
    }

    private ReplayException failed(Exception cause) {
        return new ReplayException(
                "Kafka at "
                        + brokers
                        + " did not take records for topic '"
                        + topic
                        + "' ("
                        + cause.getMessage()
                        + "): check the broker and --bootstrap-servers; continue with --resume-from"
                        + " "
                        + resumePoint(),
                cause);
    }

    /** Drops what is not sent yet; call {@link #flush} first. */
    @Override
    public void close() {
        producer.close(CLOSE_TIMEOUT);
    }
}

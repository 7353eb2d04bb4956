/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.kafka;

import java.util.List;
import java.util.Properties;
import javax.annotation.Nullable;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.record.MemoryRecords;
import org.apache.kafka.common.record.SimpleRecord;

/** How large a record may be. */
public final class RecordLimit {
    /** Our producers refuse larger records, whatever the topic takes. */
    public static final int PRODUCER_BYTES = 32 << 20;

    /** A batch of one record, without its key, value and headers: 61 bytes, and at most 21 more. */
    private static final int FRAME_BYTES = 61 + 21;

    /** The most bytes of a length, which precedes a key, a value, a header's name and its value. */
    private static final int LENGTH_BYTES = 5;

    /** How our producers compress, unless the user says otherwise. */
    public static final String COMPRESSION = "lz4";

    private RecordLimit() {}

    /** Compression enlarges incompressible data: by 4 bytes per 64 KiB, plus 100. */
    static int uncompressed(int bytes) {
        return Math.min(PRODUCER_BYTES, bytes - bytes / 4096 - 100);
    }

    /** An upper bound of the bytes of a record alone in its batch. */
    public static int sizeOf(ProducerRecord<byte[], byte[]> record) {
        return sizeOf(record.key(), record.value(), record.headers().toArray());
    }

    /** The same, of a record with these parts. */
    public static int sizeOf(@Nullable byte[] key, @Nullable byte[] value, Header[] headers) {
        long bytes = FRAME_BYTES + length(key) + length(value);
        for (Header header : headers) {
            // No character takes more than three bytes in UTF-8.
            bytes += LENGTH_BYTES + 3L * header.key().length() + length(header.value());
        }
        return (int) Math.min(Integer.MAX_VALUE, bytes);
    }

    /** The bytes of a batch with this record alone. */
    public static int batchOf(Compression compression, ProducerRecord<byte[], byte[]> record) {
        return MemoryRecords.withRecords(
                        compression,
                        new SimpleRecord(
                                record.timestamp() == null ? 0 : record.timestamp(),
                                record.key(),
                                record.value(),
                                record.headers().toArray()))
                .sizeInBytes();
    }

    private static long length(@Nullable byte[] bytes) {
        return bytes == null ? LENGTH_BYTES : (long) LENGTH_BYTES + bytes.length;
    }

    /** The largest record that the sinks' producers take, before its compression. */
    public static int largestRecord(Brokers brokers) {
        Properties users = brokers.producer();
        int largest = PRODUCER_BYTES;
        for (String limit :
                List.of(
                        ProducerConfig.MAX_REQUEST_SIZE_CONFIG,
                        ProducerConfig.BUFFER_MEMORY_CONFIG)) {
            String value = users.getProperty(limit);
            if (value != null) {
                largest = (int) Math.min(largest, Long.parseLong(value));
            }
        }
        return largest;
    }

    /** How the sinks compress. */
    public static Compression compression(Brokers brokers) {
        String name =
                brokers.producer().getProperty(ProducerConfig.COMPRESSION_TYPE_CONFIG, COMPRESSION);
        return Compression.of(name).build();
    }
}

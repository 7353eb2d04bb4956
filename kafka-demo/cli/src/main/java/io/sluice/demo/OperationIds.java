/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.demo;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * How often each operation appears on a topic of operations: one byte each, saturating at 127, far
 * more than a client retries. Not thread-safe.
 */
final class OperationIds {
    private static final JsonFactory JSON = new JsonFactory();

    private final long firstId;
    private final byte[] counts;
    private long total;
    private long foreign;

    /** For operations {@code firstId} (inclusive) to {@code firstId + operations} (exclusive). */
    OperationIds(long firstId, long operations) throws IOException {
        if (operations > Integer.MAX_VALUE - 8) {
            throw new IOException(
                    "the verdict keeps one byte per operation and can judge "
                            + (Integer.MAX_VALUE - 8)
                            + ", but the capture has "
                            + operations
                            + ": use a part of it");
        }
        this.firstId = firstId;
        counts = new byte[(int) operations];
    }

    /** Takes the next record of the topic. */
    void accept(ConsumerRecord<byte[], byte[]> record) throws IOException {
        try (JsonParser json = JSON.createParser(record.value())) {
            while (json.nextToken() != null) {
                if (json.currentToken() == JsonToken.FIELD_NAME
                        && json.currentName().equals("operation")) {
                    json.nextToken();
                    add(json.getLongValue());
                    return;
                }
            }
        }
        throw new IOException(
                "a record of topic '"
                        + record.topic()
                        + "' names no operation: offset "
                        + record.offset());
    }

    private void add(long id) {
        total++;
        long index = id - firstId;
        if (index < 0 || index >= counts.length) {
            foreign++;
        } else if (counts[(int) index] < Byte.MAX_VALUE) {
            counts[(int) index]++;
        }
    }

    /** How often the operation appeared. */
    int count(long id) {
        return counts[(int) (id - firstId)];
    }

    /** Total number of records. */
    long total() {
        return total;
    }

    /** Records with an id of no operation. */
    long foreign() {
        return foreign;
    }
}

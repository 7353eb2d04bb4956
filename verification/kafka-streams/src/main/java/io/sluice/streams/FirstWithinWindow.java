/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.streams;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.core.filter.FilteringParserDelegate;
import com.fasterxml.jackson.core.filter.JsonPointerBasedFilter;
import com.fasterxml.jackson.core.filter.TokenFilter.Inclusion;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.WindowStore;
import org.apache.kafka.streams.state.WindowStoreIterator;

/**
 * Forwards a JSON record unless one with the same id was forwarded whose timestamp is at most a
 * window away. All records of an id must be in one partition.
 */
final class FirstWithinWindow implements Processor<byte[], byte[], byte[], byte[]> {
    /** Name of the store of the ids that were forwarded. */
    static final String STORE = "seen";

    private static final JsonFactory JSON = new JsonFactory();

    /** The shortest value that does not delete. */
    private static final byte[] PRESENT = {};

    private final JsonPointer pointer;
    private final long windowMillis;
    private ProcessorContext<byte[], byte[]> context;
    private WindowStore<byte[], byte[]> seen;

    FirstWithinWindow(JsonPointer pointer, Duration window) {
        this.pointer = pointer;
        this.windowMillis = window.toMillis();
    }

    @Override
    public void init(ProcessorContext<byte[], byte[]> context) {
        this.context = context;
        seen = context.getStateStore(STORE);
    }

    @Override
    public void process(Record<byte[], byte[]> record) {
        byte[] id = id(record.value());
        long time = record.timestamp();
        try (WindowStoreIterator<byte[]> near =
                seen.fetch(id, Math.max(0, time - windowMillis), time + windowMillis)) {
            if (near.hasNext()) {
                return;
            }
        }
        seen.put(id, PRESENT, time);
        context.forward(record);
    }

    private byte[] id(byte[] value) {
        try (JsonParser parser =
                new FilteringParserDelegate(
                        JSON.createParser(value),
                        new JsonPointerBasedFilter(pointer),
                        Inclusion.ONLY_INCLUDE_ALL,
                        false)) {
            if (parser.nextToken() == null) {
                throw new IllegalArgumentException("a record has nothing at " + pointer);
            }
            return parser.getText().getBytes(StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("a record is not JSON", e);
        }
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.heap;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataOutputSerializer;

/**
 * How much memory an entry takes on average: measured by writing one value in 16, to which the
 * objects around it are added.
 */
final class EntrySize {

    private static final int ONE_IN = 16;

    /** Headers, references and the key, which is short as a rule. */
    private static final long OBJECT_BYTES = 320;

    /** What counts from the past, of 4 parts. */
    private static final long PAST = 3;

    private long count;
    private long average = OBJECT_BYTES;

    /** Counts an entry that is new, or was changed. */
    <V> void added(TypeSerializer<V> serializer, V value) {
        if (count++ % ONE_IN == 0) {
            long bytes = OBJECT_BYTES + written(serializer, value);
            average = count == 1 ? bytes : (PAST * average + bytes) / (PAST + 1);
        }
    }

    private static <V> int written(TypeSerializer<V> serializer, V value) {
        DataOutputSerializer out = new DataOutputSerializer(64);
        try {
            serializer.serialize(value, out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.length();
    }

    long average() {
        return average;
    }
}

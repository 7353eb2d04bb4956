/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import io.sluice.filter.hash.Hashing;
import java.io.IOException;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.MemorySegment;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.runtime.typeutils.AbstractRowDataSerializer;

/**
 * Hashes the keys of SQL operators: the bytes of the binary row, without copying them. A row of
 * another kind is first converted to a binary one by its serializer, which reuses its memory.
 */
final class RowFingerprinter extends KeyFingerprinter<RowData> {

    private final AbstractRowDataSerializer<RowData> serializer;

    /** For rows that span memory segments. */
    private byte[] copy = new byte[0];

    private RowFingerprinter(AbstractRowDataSerializer<RowData> serializer) {
        super("row");
        this.serializer = serializer;
    }

    static boolean isRow(TypeSerializer<?> serializer) {
        return serializer instanceof AbstractRowDataSerializer;
    }

    @SuppressWarnings("unchecked") // every such serializer takes some RowData
    static RowFingerprinter ofRow(TypeSerializer<?> serializer) {
        return new RowFingerprinter((AbstractRowDataSerializer<RowData>) serializer.duplicate());
    }

    @Override
    long hash(RowData value) throws IOException {
        BinaryRowData row =
                value instanceof BinaryRowData binary ? binary : serializer.toBinaryRow(value);
        MemorySegment[] segments = row.getSegments();
        int offset = row.getOffset();
        int length = row.getSizeInBytes();
        if (segments.length == 1 && !segments[0].isOffHeap()) {
            return Hashing.hash(segments[0].getArray(), offset, length);
        }
        return Hashing.hash(gather(segments, offset, length), 0, length);
    }

    private byte[] gather(MemorySegment[] segments, int offset, int length) {
        if (copy.length < length) {
            copy = new byte[length];
        }
        int done = 0;
        int skip = offset;
        for (MemorySegment segment : segments) {
            if (skip >= segment.size()) {
                skip -= segment.size();
            } else {
                int n = Math.min(segment.size() - skip, length - done);
                segment.get(skip, copy, done, n);
                done += n;
                skip = 0;
            }
        }
        return copy;
    }
}

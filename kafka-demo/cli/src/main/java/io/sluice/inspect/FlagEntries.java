/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Entries of a membership state as entries that are exchanged, and back. Stateless. */
final class FlagEntries {

    private FlagEntries() {}

    /** Reads a cursor to its end: takes some 40 bytes an entry. */
    static EntrySet read(FlagsCursor cursor) throws IOException {
        List<byte[]> entries = new ArrayList<>();
        while (cursor.next()) {
            entries.add(
                    ByteBuffer.allocate(2 * Long.BYTES)
                            .putLong(cursor.entry())
                            .putLong(cursor.bucketEnd())
                            .array());
        }
        return EntrySet.of(entries);
    }

    /**
     * Returns a cursor over entries that were exchanged.
     *
     * @throws IOException if they are something else
     */
    static FlagsCursor cursor(EntrySet entries) throws IOException {
        List<ByteBuffer> sorted = new ArrayList<>(entries.size());
        for (int i = 0; i < entries.size(); i++) {
            byte[] entry = entries.entry(i);
            if (entry.length != 2 * Long.BYTES) {
                throw new IOException("the other side sent an entry that cannot be one");
            }
            sorted.add(ByteBuffer.wrap(entry));
        }
        sorted.sort((one, other) -> Long.compare(one.getLong(0), other.getLong(0)));
        return new Sorted(sorted);
    }

    private static final class Sorted implements FlagsCursor {
        private final List<ByteBuffer> entries;
        private int at = -1;

        Sorted(List<ByteBuffer> entries) {
            this.entries = entries;
        }

        @Override
        public boolean next() {
            at++;
            return at < entries.size();
        }

        @Override
        public long entry() {
            return entries.get(at).getLong(0);
        }

        @Override
        public long bucketEnd() {
            return entries.get(at).getLong(Long.BYTES);
        }

        @Override
        public void close() {}
    }
}

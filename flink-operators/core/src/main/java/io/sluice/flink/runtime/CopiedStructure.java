/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.runtime;

import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import javax.annotation.Nullable;

/**
 * A structure's bytes, written to memory at the barrier. They lie in pieces that double in size up
 * to {@value #LARGEST} bytes and are never copied to grow, so the memory is at most twice the
 * bytes, and little more than the bytes when there are many.
 */
final class CopiedStructure implements PinnedStructure {

    private static final int SMALLEST = 1 << 8;
    private static final int LARGEST = 1 << 16;

    /** All are full except the last; null when this is closed. */
    @Nullable private volatile List<byte[]> pieces = new ArrayList<>();

    private byte[] last = {};
    private int inLast;

    /** Returns the stream to write the structure to; may be closed. */
    OutputStream stream() {
        return new OutputStream() {
            @Override
            public void write(int b) {
                add(new byte[] {(byte) b}, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int from, int length) {
                add(bytes, from, length);
            }
        };
    }

    private void add(byte[] bytes, int from, int length) {
        for (int done = 0; done < length; ) {
            if (inLast == last.length) {
                last = new byte[Math.min(LARGEST, Math.max(SMALLEST, 2 * last.length))];
                inLast = 0;
                pieces.add(last);
            }
            int n = Math.min(length - done, last.length - inLast);
            System.arraycopy(bytes, from + done, last, inLast, n);
            inLast += n;
            done += n;
        }
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
        List<byte[]> present = pieces;
        if (present == null) {
            throw new IOException("the copy of the structure is closed");
        }
        for (int i = 0; i < present.size(); i++) {
            byte[] piece = present.get(i);
            out.write(piece, 0, i == present.size() - 1 ? inLast : piece.length);
        }
    }

    @Override
    public long copiedBytes() {
        List<byte[]> present = pieces;
        return present == null ? 0 : present.stream().mapToLong(piece -> piece.length).sum();
    }

    @Override
    public void close() {
        pieces = null;
        last = new byte[0];
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.snapshot;

import java.io.IOException;
import java.util.Optional;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.runtime.state.PhysicalStateHandleID;
import org.apache.flink.runtime.state.StreamStateHandle;

/**
 * A part of a stored stream, preceded by some bytes in memory. Exists only during a restore, is
 * never stored itself, and deletes nothing.
 */
final class StreamPart implements StreamStateHandle {

    private static final long serialVersionUID = 1;

    private final StreamStateHandle whole;
    private final byte[] front;
    private final long offset;
    private final long length;

    /**
     * @param front what is read first
     * @param offset where in {@code whole} the rest begins
     * @param length bytes of the rest
     */
    StreamPart(StreamStateHandle whole, byte[] front, long offset, long length) {
        this.whole = whole;
        this.front = front;
        this.offset = offset;
        this.length = length;
    }

    @Override
    public FSDataInputStream openInputStream() throws IOException {
        return new In(whole.openInputStream());
    }

    private final class In extends FSDataInputStream {
        private final FSDataInputStream in;
        private long position;

        /** Whether {@link #in} is at the current position. */
        private boolean isPlaced;

        In(FSDataInputStream in) {
            this.in = in;
        }

        @Override
        public void seek(long desired) throws IOException {
            if (desired < 0 || desired > getStateSize()) {
                throw new IOException(
                        "position " + desired + " is not in a part of " + getStateSize());
            }
            position = desired;
            isPlaced = false;
        }

        @Override
        public long getPos() {
            return position;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] into, int at, int most) throws IOException {
            if (most == 0) {
                return 0;
            }
            if (position < front.length) {
                int n = (int) Math.min(most, front.length - position);
                System.arraycopy(front, (int) position, into, at, n);
                position += n;
                return n;
            }
            long left = getStateSize() - position;
            if (left <= 0) {
                return -1;
            }
            if (!isPlaced) {
                in.seek(offset + position - front.length);
                isPlaced = true;
            }
            int n = in.read(into, at, (int) Math.min(most, left));
            position += Math.max(0, n);
            return n;
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }

    @Override
    public Optional<byte[]> asBytesIfInMemory() {
        return Optional.empty();
    }

    @Override
    public PhysicalStateHandleID getStreamStateHandleID() {
        return new PhysicalStateHandleID(whole.getStreamStateHandleID() + "@" + offset);
    }

    @Override
    public void discardState() {}

    @Override
    public long getStateSize() {
        return front.length + length;
    }

    @Override
    public String toString() {
        return "bytes " + offset + " to " + (offset + length) + " of " + whole;
    }
}

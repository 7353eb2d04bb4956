/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.forgetful;

import io.sluice.filter.format.FilterWriter;
import io.sluice.filter.format.Persistent;
import io.sluice.filter.plane.PinnedWords;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A {@link ForgetfulFilter} as it was when it was {@linkplain ForgetfulFilter#pin pinned}, for
 * another thread to write while the filter goes on. Holds no copy of the arrays: a page of 4 KiB is
 * copied only if the filter is about to change it before it was written.
 *
 * <p>Memory on the heap, in addition to the filter and outside its {@link MemoryBudget}: 4 to 8
 * bytes a page as long as the filter does not change; at most the filter's size when it was pinned,
 * if all pages change or are forgotten before they are written. It shrinks while they are written,
 * and is freed when the snapshot is closed. Snapshots of a filter that are alive at once share the
 * copies of pages that none of them has written.
 *
 * <p>Must be closed, or the filter goes on copying for it. {@link #writeTo} and {@link #close} may
 * be called by any thread that the snapshot was safely handed to.
 */
public final class ForgetfulFilterSnapshot implements Persistent, Closeable {

    private final int version;
    private final ByteBuffer parameters;
    private final AtomicBoolean written = new AtomicBoolean();
    private volatile List<PinnedWords> pins;

    private ForgetfulFilterSnapshot(int version, ByteBuffer parameters, List<PinnedWords> pins) {
        this.version = version;
        this.parameters = parameters;
        this.pins = pins;
    }

    /**
     * @param parameters of the envelope; must not change any more
     */
    static ForgetfulFilterSnapshot pin(int version, ByteBuffer parameters, List<Segment> segments) {
        List<PinnedWords> pins = new ArrayList<>(segments.size());
        try {
            for (Segment segment : segments) {
                pins.add(segment.array.pin());
            }
            return new ForgetfulFilterSnapshot(version, parameters, pins);
        } catch (Throwable e) {
            pins.forEach(PinnedWords::close);
            throw e;
        }
    }

    /**
     * Writes the bytes that {@link ForgetfulFilter#writeTo} would have written when the filter was
     * pinned. The stream is neither flushed nor closed. Only once: what was written is released.
     *
     * @throws IOException from the stream, or if the snapshot is closed, before or meanwhile
     * @throws IllegalStateException if it was written before
     */
    @Override
    public void writeTo(OutputStream out) throws IOException {
        List<PinnedWords> present = pins;
        if (present == null) {
            throw new IOException("the snapshot is closed");
        }
        if (!written.compareAndSet(false, true)) {
            throw new IllegalStateException("a snapshot is written once: pin the filter again");
        }
        long words = 0;
        for (PinnedWords pin : present) {
            words += pin.length();
        }
        FilterWriter writer =
                new FilterWriter(
                        out, ForgetfulFilterFormat.KIND, version, parameters, words * Long.BYTES);
        for (PinnedWords pin : present) {
            pin.writeTo(writer);
        }
        writer.finish();
    }

    /** Bytes copied for this snapshot that are still to be written. O(pages). */
    public long copiedBytes() {
        List<PinnedWords> present = pins;
        return present == null ? 0 : present.stream().mapToLong(PinnedWords::keptBytes).sum();
    }

    /** Releases everything; the filter stops copying. Idempotent. */
    @Override
    public void close() {
        List<PinnedWords> present = pins;
        if (present != null) {
            present.forEach(PinnedWords::close);
            pins = null;
        }
    }
}

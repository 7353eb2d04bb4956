/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import io.sluice.filter.cascade.file.EntryCursor;
import io.sluice.filter.quotient.FingerprintCursor;
import java.util.function.Supplier;

/**
 * The entries of a buffer that has them in the order of hash and key group, in that of key group
 * and hash. Goes through the buffer once for each <b>window</b> of neighbouring key groups: those
 * of a window are put into an array, each key group's in its part of it; a key group that would not
 * fit is alone in a window, and in order as it comes.
 *
 * <p>Memory: an eighth of the entries, 8 bytes each. Passes: about 16, at most.
 */
final class SpreadCursor implements EntryCursor {

    private static final int WINDOWS = 8;

    private static final int LEAST_WINDOW = 1 << 12;

    private static final int BATCH = 1 << 10;

    private final EntryBuffer buffer;
    private final Supplier<FingerprintCursor> open;
    private final long first;
    private final long last;

    private final long[] batch = new long[BATCH];

    /** Entries of a window of several key groups. */
    private final long[] window;

    private int at;
    private int filled;

    /** End of the last window. */
    private int end;

    /** The key group that is alone in the window; null if there are several. */
    private FingerprintCursor alone;

    /**
     * @param open begins a pass over the buffer's positions
     * @param first the least entry
     * @param last the greatest
     */
    SpreadCursor(EntryBuffer buffer, Supplier<FingerprintCursor> open, long first, long last) {
        this.buffer = buffer;
        this.open = open;
        this.first = first;
        this.last = last;
        this.window = new long[Math.max(LEAST_WINDOW, buffer.size() / WINDOWS)];
    }

    @Override
    public int next(long[] into) {
        int n = 0;
        while (n == 0 && (alone != null || at < filled || end < buffer.groups())) {
            if (alone != null) {
                n = nextOfOne(into);
            } else if (at < filled) {
                n = Math.min(into.length, filled - at);
                System.arraycopy(window, at, into, 0, n);
                at += n;
            } else {
                nextWindow();
            }
            n = inRange(into, n);
        }
        return n;
    }

    private int nextOfOne(long[] into) {
        int group = end - 1;
        int read = alone.next(into);
        if (read == 0) {
            alone = null;
        }
        int n = 0;
        for (int i = 0; i < read; i++) {
            // n <= i: each position is read before an entry takes its place.
            long position = into[i];
            if (buffer.group(position) == group) {
                into[n++] = buffer.entry(position);
            }
        }
        return n;
    }

    private void nextWindow() {
        int begin = end;
        at = 0;
        filled = 0;
        while (end < buffer.groups() && filled + buffer.entriesOf(end) <= window.length) {
            filled += buffer.entriesOf(end++);
        }
        if (end == begin) {
            end++;
            alone = open.get();
        } else if (filled > 0) {
            fill(begin);
        }
    }

    private void fill(int begin) {
        int[] next = new int[end - begin];
        for (int i = 1; i < next.length; i++) {
            next[i] = next[i - 1] + buffer.entriesOf(begin + i - 1);
        }
        FingerprintCursor positions = open.get();
        for (int n = positions.next(batch); n > 0; n = positions.next(batch)) {
            for (int i = 0; i < n; i++) {
                int group = buffer.group(batch[i]);
                if (group >= begin && group < end) {
                    window[next[group - begin]++] = buffer.entry(batch[i]);
                }
            }
        }
    }

    private int inRange(long[] entries, int count) {
        int n = 0;
        for (int i = 0; i < count; i++) {
            if (entries[i] >= first && entries[i] <= last) {
                entries[n++] = entries[i];
            }
        }
        return n;
    }

    @Override
    public int hashBits() {
        return buffer.hashBits();
    }

    @Override
    public long expectedEntries() {
        return buffer.size();
    }
}

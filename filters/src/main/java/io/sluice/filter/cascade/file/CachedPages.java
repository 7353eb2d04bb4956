/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade.file;

import java.util.Arrays;

/** Which frames of a {@link PageCache} hold the pages of one file. */
final class CachedPages {

    /** For each page its frame, or {@link PageCache#NONE}. Written only under the cache's lock. */
    int[] frames;

    /** Guarded by the cache's lock. */
    boolean closed;

    CachedPages(int pages) {
        frames = new int[pages];
        Arrays.fill(frames, PageCache.NONE);
    }

    /** Makes room for a page of a file that is being written. The caller holds the cache's lock. */
    int frameOf(int page) {
        int length = frames.length;
        if (page >= length) {
            int[] grown = Arrays.copyOf(frames, Math.max(page + 1, 2 * length));
            Arrays.fill(grown, length, grown.length, PageCache.NONE);
            frames = grown;
        }
        return frames[page];
    }

    long sizeInBytes() {
        return (long) frames.length * Integer.BYTES;
    }
}

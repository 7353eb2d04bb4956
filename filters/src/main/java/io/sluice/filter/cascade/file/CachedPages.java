/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade.file;

import java.util.Arrays;

/** In which frames of a {@link PageCache} the pages of one file are. */
final class CachedPages {

    /** For each page its frame, or {@link PageCache#NONE}. Written under the cache's lock alone. */
    int[] frames;

    /** Guarded by the cache's lock. */
    boolean closed;

    CachedPages(int pages) {
        frames = new int[pages];
        Arrays.fill(frames, PageCache.NONE);
    }

    /**
     * For the holder of the cache's lock: makes room for a page of a file that is being written.
     */
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

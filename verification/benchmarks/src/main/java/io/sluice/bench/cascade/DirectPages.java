/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.cascade;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The bits of a file behind a bounded number of pages in memory. Pages that were not used recently
 * go first (one bit per frame, a clock hand); changed ones are then written back.
 */
final class DirectPages {
    private static final int NOT_CACHED = -1;
    private static final int PAGE = DirectFile.PAGE_BYTES;
    private static final int PAGE_SHIFT = 12;
    private static final int MAX_FRAMES = (Integer.MAX_VALUE >> PAGE_SHIFT) - 1;

    private final DirectFile file;
    private final ByteBuffer memory;

    /** Frame of each page of the file. */
    private final int[] frameOf;

    /** Page in each frame. */
    private final int[] pageIn;

    private final boolean[] used;
    private final boolean[] changed;
    private int occupied;
    private int hand;
    private long pagesRead;
    private long pagesWritten;

    /** A cache over an existing file of {@code pages} pages, with {@code memoryBytes} of memory. */
    DirectPages(DirectFile file, int pages, long memoryBytes) {
        long frames = Math.min(memoryBytes >>> PAGE_SHIFT, pages);
        if (frames < 1 || frames > MAX_FRAMES) {
            throw new IllegalArgumentException(
                    "memoryBytes must give 1 to " + MAX_FRAMES + " pages, got " + memoryBytes);
        }
        this.file = file;
        this.memory = DirectFile.buffer((int) frames << PAGE_SHIFT);
        this.frameOf = new int[pages];
        this.pageIn = new int[(int) frames];
        this.used = new boolean[(int) frames];
        this.changed = new boolean[(int) frames];
        Arrays.fill(frameOf, NOT_CACHED);
    }

    /** Sets a bit of the file. */
    void set(long bit) throws IOException {
        int frame = frame((int) (bit >>> (PAGE_SHIFT + 3)));
        int at = address(frame, bit);
        byte before = memory.get(at);
        byte after = (byte) (before | 1 << (bit & 7));
        if (after != before) {
            memory.put(at, after);
            changed[frame] = true;
        }
    }

    boolean get(long bit) throws IOException {
        int frame = frame((int) (bit >>> (PAGE_SHIFT + 3)));
        return (memory.get(address(frame, bit)) >>> (bit & 7) & 1) != 0;
    }

    /** Writes everything that was changed to the file. */
    void flush() throws IOException {
        for (int page = 0; page < frameOf.length; page++) {
            int frame = frameOf[page];
            if (frame != NOT_CACHED && changed[frame]) {
                writeBack(frame);
            }
        }
    }

    long pagesRead() {
        return pagesRead;
    }

    long pagesWritten() {
        return pagesWritten;
    }

    private static int address(int frame, long bit) {
        return (frame << PAGE_SHIFT) + (int) (bit >>> 3 & (PAGE - 1));
    }

    private int frame(int page) throws IOException {
        int frame = frameOf[page];
        if (frame == NOT_CACHED) {
            frame = freeFrame();
            file.read(slice(frame), (long) page << PAGE_SHIFT);
            pagesRead++;
            frameOf[page] = frame;
            pageIn[frame] = page;
        }
        used[frame] = true;
        return frame;
    }

    private int freeFrame() throws IOException {
        if (occupied < pageIn.length) {
            return occupied++;
        }
        while (used[hand]) {
            used[hand] = false;
            hand = hand + 1 == pageIn.length ? 0 : hand + 1;
        }
        int victim = hand;
        hand = hand + 1 == pageIn.length ? 0 : hand + 1;
        if (changed[victim]) {
            writeBack(victim);
        }
        frameOf[pageIn[victim]] = NOT_CACHED;
        return victim;
    }

    private void writeBack(int frame) throws IOException {
        file.write(slice(frame), (long) pageIn[frame] << PAGE_SHIFT);
        changed[frame] = false;
        pagesWritten++;
    }

    private ByteBuffer slice(int frame) {
        return memory.slice(frame << PAGE_SHIFT, PAGE);
    }
}

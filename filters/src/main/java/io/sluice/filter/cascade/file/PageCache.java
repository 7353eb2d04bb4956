/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade.file;

import io.sluice.filter.annotation.Internal;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.IntFunction;

/**
 * Pages of level files in memory, up to a budget, shared by any number of files. Each file knows in
 * which frame each of its pages is ({@link CachedPages}), so a hit costs no hash table and no lock.
 * Frames are reused by the clock algorithm (second chance). Thread-safe.
 *
 * <p>Each frame has a stamp: even while its page may be read, odd while it may not, and larger
 * after each change. A reader of a page reads the stamp before and after. If it is the same even
 * number, what was read in between was the page; if not, the reader discards it and tries again.
 * Only a thread that has claimed a frame under the lock changes it.
 *
 * <p>Memory is taken in pieces of 16 MiB, as the cache fills.
 */
@Internal
public final class PageCache {

    private static final int CHUNK_SHIFT = 12;
    private static final int CHUNK_FRAMES = 1 << CHUNK_SHIFT;

    /** A budget above 8 TiB would need longer frame numbers. */
    private static final long MAX_BYTES = (long) (Integer.MAX_VALUE - 8) << PageLayout.SHIFT;

    static final int NONE = -1;

    private final int frames;
    private final IntFunction<ByteBuffer> memory;
    private final ByteBuffer[] chunks;
    private final AtomicIntegerArray stamps;

    /**
     * Not 0 if used since the clock's hand passed. Written without a lock; a lost write is
     * harmless.
     */
    private final byte[] used;

    /** Which file's page is in the frame; null if none. Guarded by this. */
    private final CachedPages[] owners;

    /** Guarded by this. */
    private final int[] ownersPage;

    /** Stack of frames that hold nothing. Guarded by this. */
    private int[] free = new int[64];

    /** Guarded by this. */
    private int freeCount;

    /** Frames from here on were never used. Guarded by this. */
    private int fresh;

    /** Guarded by this. */
    private int hand;

    /**
     * A cache outside the heap.
     *
     * @param bytes budget; less than a page caches nothing
     */
    public PageCache(long bytes) {
        this(bytes, TransferBuffers::allocate);
    }

    /**
     * A cache in memory from elsewhere.
     *
     * @param bytes budget; less than a page caches nothing
     * @param memory makes direct buffers of a given number of bytes, a multiple of 4096; they
     *     should be aligned to that too, or files cannot bypass the operating system's cache
     */
    public PageCache(long bytes, IntFunction<ByteBuffer> memory) {
        if (bytes < 0 || bytes > MAX_BYTES) {
            throw new IllegalArgumentException(
                    "bytes must be from 0 to " + MAX_BYTES + ", got " + bytes);
        }
        this.frames = (int) (bytes >>> PageLayout.SHIFT);
        this.memory = memory;
        chunks = new ByteBuffer[(frames + CHUNK_FRAMES - 1) >>> CHUNK_SHIFT];
        stamps = new AtomicIntegerArray(frames);
        used = new byte[frames];
        owners = new CachedPages[frames];
        ownersPage = new int[frames];
    }

    /** The buffer that a frame is in; {@link #offset} says where. */
    ByteBuffer buffer(int frame) {
        return chunks[frame >>> CHUNK_SHIFT];
    }

    static int offset(int frame) {
        return (frame & CHUNK_FRAMES - 1) << PageLayout.SHIFT;
    }

    /** Stamp of a frame: odd if it must not be read. */
    int stamp(int frame) {
        return stamps.getAcquire(frame);
    }

    /** Whether a frame has held the same page ever since its stamp was read. */
    boolean isUnchanged(int frame, int stamp) {
        // Reads of the page must come before the read of the stamp.
        VarHandle.loadLoadFence();
        return stamps.getPlain(frame) == stamp;
    }

    /** Marks its page as used: the clock spares it once. */
    void use(int frame) {
        if (used[frame] == 0) {
            used[frame] = 1;
        }
    }

    /**
     * Takes a frame away from whatever page it held. It belongs to the caller until {@link
     * #publish} or {@link #release}.
     *
     * @return {@link #NONE} if others have claimed them all
     */
    synchronized int claim() {
        if (freeCount > 0) {
            int frame = free[--freeCount];
            stamps.incrementAndGet(frame);
            return frame;
        }
        if (fresh < frames) {
            int chunk = fresh >>> CHUNK_SHIFT;
            if (chunks[chunk] == null) {
                int inChunk = Math.min(CHUNK_FRAMES, frames - fresh);
                chunks[chunk] =
                        memory.apply(inChunk << PageLayout.SHIFT).order(ByteOrder.LITTLE_ENDIAN);
            }
            stamps.incrementAndGet(fresh);
            return fresh++;
        }
        // The second round spares only what others have claimed.
        for (long steps = 2L * frames; steps > 0; steps--) {
            int frame = hand;
            hand = hand + 1 == frames ? 0 : hand + 1;
            if (owners[frame] != null) {
                if (used[frame] == 0) {
                    stamps.incrementAndGet(frame);
                    owners[frame].frames[ownersPage[frame]] = NONE;
                    owners[frame] = null;
                    return frame;
                }
                used[frame] = 0;
            }
        }
        return NONE;
    }

    /** Makes room for all pages of a written file: some may have found no frame. */
    synchronized void makeRoom(CachedPages file, int pages) {
        if (pages > 0) {
            file.frameOf(pages - 1);
        }
    }

    /** Makes the content of a claimed frame, a page of a file, readable for everyone. */
    synchronized void publish(int frame, CachedPages file, int page) {
        if (file.closed || file.frameOf(page) != NONE) {
            release(frame);
            return;
        }
        owners[frame] = file;
        ownersPage[frame] = page;
        used[frame] = 0;
        stamps.incrementAndGet(frame);
        file.frames[page] = frame;
    }

    /** Takes a copy of a page that was just written. */
    void put(CachedPages file, int page, ByteBuffer from, int at) {
        int frame = claim();
        if (frame != NONE) {
            buffer(frame).put(offset(frame), from, at, PageLayout.BYTES);
            publish(frame, file, page);
        }
    }

    /** Gives back a claimed frame that holds nothing useful. */
    synchronized void release(int frame) {
        stamps.incrementAndGet(frame);
        if (freeCount == free.length) {
            free = Arrays.copyOf(free, 2 * freeCount);
        }
        free[freeCount++] = frame;
    }

    /** Forgets all pages of a file. */
    synchronized void remove(CachedPages file) {
        file.closed = true;
        for (int page = 0; page < file.frames.length; page++) {
            int frame = file.frames[page];
            if (frame != NONE) {
                file.frames[page] = NONE;
                owners[frame] = null;
                stamps.incrementAndGet(frame);
                release(frame);
            }
        }
    }

    /** Bytes of the budget, rounded down to whole pages. */
    public long budgetBytes() {
        return (long) frames << PageLayout.SHIFT;
    }

    /** Bytes taken so far: frames and their bookkeeping. */
    public synchronized long sizeInBytes() {
        long taken =
                Math.min(frames, (fresh + (long) CHUNK_FRAMES - 1) / CHUNK_FRAMES * CHUNK_FRAMES);
        return (taken << PageLayout.SHIFT) + 13L * frames;
    }
}

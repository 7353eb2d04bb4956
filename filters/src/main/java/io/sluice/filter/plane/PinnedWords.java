/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.plane;

import io.sluice.filter.annotation.Internal;
import io.sluice.filter.format.FilterWriter;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * The words of a {@link PlaneArray} as they were at one moment, for another thread to write while
 * the owner of the array goes on changing it: copy on write, in pages of {@value #PAGE_BYTES}
 * bytes. Pinning costs one reference per page. A page is copied only if the owner changes it before
 * the reader has reached it, and at most once.
 *
 * <p>Each page has one slot:
 *
 * <pre>
 *   null   -- the owner, before its first write to the page -->  a copy of the page
 *   null   -- the reader, after it has copied the page ------->  TAKEN
 *   copy   -- the reader --------------------------------------> TAKEN
 *   any    -- close -------------------------------------------> TAKEN
 * </pre>
 *
 * No thread waits: the reader copies a page first and claims it afterwards; if the claim fails, its
 * copy may be a mixture of old and new, and it takes the owner's copy instead.
 *
 * <p><b>Why what the reader takes is what was pinned.</b> A slot leaves null once, by a
 * compare-and-set (or by {@link #close}, after which the reader takes nothing). If the reader did
 * it, the owner found TAKEN in the slot before its first write to the page, by an acquiring read or
 * a failed compare-and-set. So the reader's reads happen before its claim, the claim happens before
 * the owner's look at the slot, and that look before the owner's write; and a read does not see a
 * write that it happens before. If the owner did it, its copy was complete before it was published,
 * and the owner copied before its own first write. Writes from before the pin are visible because
 * the pin is handed to the reader's thread safely (by an executor, say).
 *
 * <p>The pins of one array form a list that belongs to the owner: several may be alive, and a page
 * that none of them has taken is copied once for all. {@link #pin} and {@link #keep} are called by
 * the owner's thread; {@link #writeTo} once, by any thread; {@link #close} by any thread, any
 * number of times.
 *
 * <p>Internal: public for the filters that are made of planes.
 */
@Internal
public final class PinnedWords {

    /** A multiple of a cache line's words, so that a line lies in one page. */
    static final int PAGE_WORDS = 1 << PinnedWords.PAGE_SHIFT;

    static final int PAGE_BYTES = PAGE_WORDS * Long.BYTES;

    private static final int PAGE_SHIFT = 9;

    /** In the slot of a page that is no longer needed. */
    private static final long[] TAKEN = {};

    private static final VarHandle SLOT = MethodHandles.arrayElementVarHandle(long[][].class);

    private final long[] words;

    /** A slot for each page, see above; null when this is closed. */
    private volatile long[][] slots;

    /** The owner's list of pins. */
    private PinnedWords next;

    private PinnedWords(long[] words, PinnedWords next) {
        this.words = words;
        this.slots = new long[page(words.length - 1) + 1][];
        this.next = next;
    }

    /**
     * Pins {@code words}, which begin with {@link PlaneArray#PADDING} unused ones, followed by at
     * least one more.
     *
     * @param others the pins of the same words that may be alive, or null; closed ones are dropped
     *     here, or they would pile up on an array that is never written to
     */
    static PinnedWords pin(long[] words, PinnedWords others) {
        return new PinnedWords(words, alive(others));
    }

    private static PinnedWords alive(PinnedWords pins) {
        PinnedWords alive = null;
        PinnedWords last = null;
        for (PinnedWords pin = pins; pin != null; pin = pin.next) {
            if (pin.slots == null) {
                continue;
            }
            if (last == null) {
                alive = pin;
            } else {
                last.next = pin;
            }
            last = pin;
        }
        if (last != null) {
            last.next = null;
        }
        return alive;
    }

    /** The page of a word. */
    private static int page(int word) {
        return (word - PlaneArray.PADDING) >>> PAGE_SHIFT;
    }

    private int begin(int page) {
        return PlaneArray.PADDING + (page << PAGE_SHIFT);
    }

    private int end(int page) {
        return Math.min(words.length, begin(page + 1));
    }

    /**
     * Must be called by the owner before it writes to words {@code from} to {@code to} (exclusive):
     * keeps what the pins have not taken yet.
     *
     * @return the pins that are still alive, null if there is none
     */
    static PinnedWords keep(PinnedWords pins, int from, int to) {
        PinnedWords alive = pins;
        for (int page = page(from); alive != null && page <= page(to - 1); page++) {
            alive = keep(alive, page);
        }
        return alive;
    }

    private static PinnedWords keep(PinnedWords pins, int page) {
        PinnedWords alive = pins;
        PinnedWords previous = null;
        long[] copy = null;
        for (PinnedWords pin = pins; pin != null; pin = pin.next) {
            long[][] slots = pin.slots;
            if (slots == null) {
                if (previous == null) {
                    alive = pin.next;
                } else {
                    previous.next = pin.next;
                }
                continue;
            }
            previous = pin;
            if (SLOT.getAcquire(slots, page) == null) {
                if (copy == null) {
                    copy = Arrays.copyOfRange(pin.words, pin.begin(page), pin.end(page));
                }
                // If this fails, the reader has taken the page, or the pin was closed.
                SLOT.compareAndSet(slots, page, (long[]) null, copy);
            }
        }
        return alive;
    }

    /** Words that {@link #writeTo} writes. */
    public int length() {
        return words.length - PlaneArray.PADDING;
    }

    /**
     * Writes the words as they were when they were pinned, once, and releases every page as soon as
     * it is written.
     *
     * @throws IOException if the pin was closed
     */
    public void writeTo(FilterWriter writer) throws IOException {
        long[][] open = open();
        long[] buffer = new long[Math.min(PAGE_WORDS, length())];
        for (int page = 0; page < open.length; page++) {
            copy(page, buffer);
            long[] kept = claim(open, page);
            writer.words(kept == null ? buffer : kept, 0, end(page) - begin(page));
        }
    }

    /** The slots, for {@link #claim}. */
    long[][] open() throws IOException {
        long[][] present = slots;
        if (present == null) {
            throw closed();
        }
        return present;
    }

    /**
     * Copies what is in the page now, which is not what was pinned if the owner writes at the same
     * time.
     */
    void copy(int page, long[] buffer) {
        System.arraycopy(words, begin(page), buffer, 0, end(page) - begin(page));
    }

    /**
     * Takes the page from the owner, which may write to it from now on.
     *
     * @param open the slots
     * @return the owner's copy, if it has written to the page before; null if it has not, so that
     *     what was copied before this call is what was pinned
     */
    static long[] claim(long[][] open, int page) throws IOException {
        if (SLOT.compareAndSet(open, page, (long[]) null, TAKEN)) {
            return null;
        }
        long[] kept = (long[]) SLOT.getAndSet(open, page, TAKEN);
        if (kept == TAKEN) {
            throw closed();
        }
        return kept;
    }

    private static IOException closed() {
        return new IOException("the snapshot was closed or written before");
    }

    /** Bytes of the pages that were copied for this and are still to be taken. */
    public long keptBytes() {
        long[][] present = slots;
        long kept = 0;
        for (int page = 0; present != null && page < present.length; page++) {
            long[] copy = (long[]) SLOT.getAcquire(present, page);
            kept += copy == null ? 0 : (long) copy.length * Long.BYTES;
        }
        return kept;
    }

    /**
     * Releases the pages; the owner stops copying. A {@link #writeTo} that is running ends with an
     * exception. O(pages).
     */
    public void close() {
        long[][] present = slots;
        if (present == null) {
            return;
        }
        // First the slots: the owner may write when it sees null, and the reader must not then take
        // a page.
        for (int page = 0; page < present.length; page++) {
            SLOT.setVolatile(present, page, TAKEN);
        }
        slots = null;
    }
}

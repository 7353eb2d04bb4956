/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.forgetful;

import io.sluice.filter.format.FilterWriter;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * The words of a {@link PlaneArray} as they were at one moment, for another thread to write while
 * the owner of the array goes on changing it: copy on write, in pages of {@value #PAGE_BYTES}
 * bytes. To pin costs one reference a page; what is copied is what the owner changes before the
 * reader has been there, each page at most once.
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
 * Nobody waits: the reader copies a page first and claims it afterwards; if the claim fails, what
 * it copied may be a mixture of old and new, and it takes the owner's copy instead.
 *
 * <p><b>Why what the reader takes is what was pinned.</b> A slot leaves null once, by a
 * compare-and-set (or by {@link #close}, after which the reader takes nothing). If it was the
 * reader's, the owner found TAKEN in the slot before its first write to the page, by an acquiring
 * read or a compare-and-set that failed: the reader's reads happen before its claim, that before
 * the owner's look at the slot, and that before the owner's write; a read does not see a write that
 * it happens before. If it was the owner's, the copy was complete before it was published, and the
 * owner copied before its own first write. Writes from before the pin are visible because the pin
 * is handed to the reader's thread safely (by an executor, say).
 *
 * <p>Pins of one array make up a list that belongs to the owner: several may be alive, and a page
 * that none of them has taken is copied once for all. {@link #pin}, {@link #keep} are the owner's
 * thread's; {@link #writeTo} is called once, by any thread; {@link #close} by any, any number of
 * times.
 */
final class PinnedWords {

    /** A multiple of a cache line's words, so that a line lies in one page. */
    static final int PAGE_WORDS = 1 << PinnedWords.PAGE_SHIFT;

    static final int PAGE_BYTES = PAGE_WORDS * Long.BYTES;

    private static final int PAGE_SHIFT = 9;

    /** In the slot of a page that nobody needs any more. */
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
     * Pins {@code words}, which begin with {@link PlaneArray#PADDING} unused ones, and at least one
     * more.
     *
     * @param others the pins of the same words that may be alive, or null; those that are closed
     *     are let go, or an array that nobody writes to would collect them
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
     * To be called by the owner before it writes to words {@code from} to {@code to}, exclusively:
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
    int length() {
        return words.length - PlaneArray.PADDING;
    }

    /**
     * Writes the words as they were when they were pinned, once, and lets go of every page as soon
     * as it was written.
     *
     * @throws IOException if the pin was closed
     */
    void writeTo(FilterWriter writer) throws IOException {
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

    /** What is in the page now; not what was pinned if the owner writes at the same time. */
    void copy(int page, long[] buffer) {
        System.arraycopy(words, begin(page), buffer, 0, end(page) - begin(page));
    }

    /**
     * Takes the page from the owner, who may write to it from now on.
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

    /** Bytes of the pages that were copied for this and not taken yet. */
    long keptBytes() {
        long[][] present = slots;
        long kept = 0;
        for (int page = 0; present != null && page < present.length; page++) {
            long[] copy = (long[]) SLOT.getAcquire(present, page);
            kept += copy == null ? 0 : (long) copy.length * Long.BYTES;
        }
        return kept;
    }

    /**
     * Lets go of the pages; the owner copies no more. A {@link #writeTo} under way ends with an
     * exception. O(pages).
     */
    void close() {
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

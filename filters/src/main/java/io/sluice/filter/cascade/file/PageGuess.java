/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade.file;

import io.sluice.filter.memory.Touches;
import java.nio.ByteBuffer;

/**
 * Where in a page the parts of an entry probably are, without reading the page: entries are spread
 * evenly, so an entry that lies at some fraction of the page's range lies at about the same
 * fraction of its unary part and of its low parts. A wrong guess only costs time.
 *
 * <p>A lookup reads header, unary part and low parts, one after the other: each says where to look
 * in the next. Reading guessed places ahead of the lookup fetches all three from memory together,
 * and for several pages at once.
 *
 * <p>With n entries, the number before a place has a standard deviation of at most sqrt(n) / 2:
 * with 2400 on a page that is 25 entries, 3 bytes of the unary part and some 30 of the low parts.
 * So two lines of the low parts are read.
 */
final class PageGuess {

    private static final int PAYLOAD_BYTES = PageLayout.PAYLOAD_WORDS * Long.BYTES;

    private static final int LAST_OFFSET = PageLayout.UNARY_OFFSET + PAYLOAD_BYTES;

    /** Bytes of the unary part and of the low parts of a page, on average. */
    private final double unaryBytes;

    private final double lowBytes;

    /** How far a low part may well be from its guessed place. */
    private final int deviation;

    PageGuess(LevelFileInfo info, PageIndex index) {
        int pages = Math.max(1, index.pages());
        double entries = Math.max(1, (double) info.entries() / pages);
        long keys = index.pages() == 0 ? 0 : info.lastEntry() - index.firstKey(0);
        long values = keys >>> (1 + Entries.droppedBits(info.hashBits()));
        double distance = Math.max(1, (double) values / pages / entries);
        int lowBits = Math.min(PageLayout.MAX_LOW_BITS, Math.getExponent(distance));
        double buckets = entries * distance / (1L << lowBits);
        unaryBytes = (entries + buckets) / Byte.SIZE;
        lowBytes = entries * lowBits / Byte.SIZE;
        deviation = (int) (Math.sqrt(entries) / 2 * lowBits / Byte.SIZE);
    }

    /**
     * Reads what a lookup will probably need of the page at position {@code at}.
     *
     * @param part of the page's range that is before the entry, from 0 to 1
     * @return a meaningless number, for {@link Touches#keep}
     */
    long touch(ByteBuffer buffer, int at, double part) {
        int low = lowOffset(part);
        return buffer.get(at)
                ^ buffer.get(at + unaryOffset(part))
                ^ buffer.get(at + Math.max(0, low - deviation))
                ^ buffer.get(at + Math.min(LAST_OFFSET, low + deviation));
    }

    /** Where in the page the unary part of an entry probably is. */
    int unaryOffset(double part) {
        return PageLayout.UNARY_OFFSET + (int) Math.min(PAYLOAD_BYTES, part * unaryBytes);
    }

    /** Where in the page the low part of an entry probably is, {@link #deviation} off or less. */
    int lowOffset(double part) {
        double payload = Math.min(PAYLOAD_BYTES, unaryBytes + part * lowBytes);
        return PageLayout.UNARY_OFFSET + (int) payload;
    }

    /** In bytes. */
    int deviation() {
        return deviation;
    }
}

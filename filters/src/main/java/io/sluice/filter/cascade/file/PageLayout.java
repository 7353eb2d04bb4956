/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade.file;

/**
 * Where the fields of a page of entries are. A page is {@value #BYTES} bytes, little-endian:
 *
 * <pre>
 *   offset  bytes  field
 *        0      4  CRC-32C of bytes 4 to 4095, XOR the salt of this page of this file
 *        4      2  number of entries, n
 *        6      2  number of buckets, b
 *        8      8  first entry
 *       16      1  low bits, l
 *       17      1  directory shift, s
 *       18      1  1 if any entry is a tombstone, else 0: t
 *       19      1  0
 *       20     44  directory: 22 numbers of 2 bytes
 *       64    8*u  buckets in unary: u = ceil((n + b) / 64) words
 *   64+8*u    8*v  low parts, l bits each: v = ceil(n * l / 64) words
 *                  zeros up to the end, at least 8 bytes
 * </pre>
 *
 * <p>The code is Elias's and Fano's, as in quasi-succinct indices (Vigna, <i>Quasi-Succinct
 * Indices</i>, 2013, section 3). The value of an entry is its key group and the p bits of its hash,
 * followed, if t = 1, by its tombstone bit. From each the value of the first entry is taken
 * (without its tombstone bit). The l low bits of the difference are stored as they are; the others
 * are the number of the <b>bucket</b>. In the unary part each entry of a bucket is a 1, and a 0
 * ends the bucket: the i-th 1 (from 0) at position x belongs to bucket x - i. This takes l + 1 +
 * b/n bits for an entry; with l the logarithm of the mean distance, rounded down, that is less than
 * 2 bits above the logarithm.
 *
 * <p>Directory entry k is the position at which bucket {@code k << s} begins, so a lookup reads the
 * header's line, some words of the unary part and one or two of the low parts: about three cache
 * lines. Pages are self-contained: skewed key groups get their own l.
 */
final class PageLayout {

    static final int BYTES = 4096;
    static final int SHIFT = 12;

    static final int CHECKSUM_OFFSET = 0;

    /** The checksum covers the page from here. */
    static final int CHECKED_OFFSET = CHECKSUM_OFFSET + Integer.BYTES;

    static final int COUNT_OFFSET = CHECKED_OFFSET;
    static final int BUCKETS_OFFSET = COUNT_OFFSET + Short.BYTES;
    static final int FIRST_ENTRY_OFFSET = BUCKETS_OFFSET + Short.BYTES;
    static final int LOW_BITS_OFFSET = FIRST_ENTRY_OFFSET + Long.BYTES;
    static final int DIRECTORY_SHIFT_OFFSET = LOW_BITS_OFFSET + 1;
    static final int TOMBSTONES_OFFSET = DIRECTORY_SHIFT_OFFSET + 1;
    static final int RESERVED_OFFSET = TOMBSTONES_OFFSET + 1;
    static final int DIRECTORY_OFFSET = RESERVED_OFFSET + 1;
    static final int DIRECTORY_LENGTH = 22;
    static final int UNARY_OFFSET = DIRECTORY_OFFSET + DIRECTORY_LENGTH * Short.BYTES;

    /** Any 8 bytes that begin inside the payload are inside the page. */
    static final int GUARD_BYTES = Long.BYTES;

    /** Words of unary and low parts together. */
    static final int PAYLOAD_WORDS = (BYTES - UNARY_OFFSET - GUARD_BYTES) / Long.BYTES;

    /** Any low part is inside 8 bytes that begin at a byte. */
    static final int MAX_LOW_BITS = 56;

    /** With l = 0, every entry takes a 1, and a 0 because no two values are equal. */
    static final int MAX_ENTRIES = PAYLOAD_WORDS * Long.SIZE / 2;

    private PageLayout() {}

    /**
     * Bits of a page for each of its entries, if it is full of entries at this mean distance: l + 1
     * + b/n, and a share of what is not payload.
     */
    static double bitsPerEntry(double distance) {
        int lowBits = Math.max(0, Math.min(MAX_LOW_BITS, Math.getExponent(distance)));
        double payload = lowBits + 1 + Math.scalb(distance, -lowBits);
        return payload * ((double) BYTES / (PAYLOAD_WORDS * Long.BYTES));
    }

    /** Words for {@code bits} bits. */
    static int words(long bits) {
        return (int) ((bits + Long.SIZE - 1) >>> 6);
    }

    /**
     * Differs from page to page and from file to file, so that a page in the wrong place is
     * detected like a damaged one: a finalizer of MurmurHash3 over both numbers.
     */
    static int salt(int fileSalt, int page) {
        long mixed = ((long) fileSalt << Integer.SIZE | page) * 0xff51_afd7_ed55_8ccdL;
        mixed = (mixed ^ mixed >>> 33) * 0xc4ce_b9fe_1a85_ec53L;
        return (int) (mixed ^ mixed >>> 33);
    }

    /** The smallest s for which the directory has room. */
    static int directoryShift(int buckets) {
        int shift = 0;
        while (buckets > DIRECTORY_LENGTH << shift) {
            shift++;
        }
        return shift;
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade.file;

import io.sluice.filter.format.CorruptFilterException;
import io.sluice.filter.format.UnsupportedFormatException;
import io.sluice.filter.hash.Hashing;
import java.nio.ByteBuffer;

/**
 * A level file is a sequence of pages of 4096 bytes, little-endian:
 *
 * <pre>
 * pages of entries ascending, see PageLayout index pages the first entries of the entry pages, 511
 * on each footer one page
 * </pre>
 *
 * An index page:
 *
 * <pre>
 *   offset  bytes  field
 *        0      4  CRC-32C of bytes 4 to 4095, XOR the salt of this page of this file
 *        4      4  0
 *        8   8*511 first entries of pages; zeros after the last one
 * </pre>
 *
 * The footer:
 *
 * <pre>
 * offset bytes field 0 4 CRC-32C of bytes 4 to 4095 4 4 magic "SLLF" 8 2 version of this format 10
 * 2 p: bits of the hash in an entry 12 4 hash algorithm id 16 8 hash seed 24 8 length of the file
 * in bytes 32 8 entries 40 8 tombstones 48 8 first entry; 0 if there is none 56 8 last entry; -1 if
 * there is none 64 4 pages of entries 68 4 salt of the file 72 4 CRC-32C of the checksums of all
 * preceding pages, in order 76 4020 0
 * </pre>
 *
 * The salt makes pages of different files differ, so that a page the disk mistook for another is
 * detected. It is derived from the name under which the file was written; files may be renamed.
 */
final class LevelFileFormat {

    /** The first version. */
    static final int VERSION_1 = 1;

    static final int VERSION_CURRENT = VERSION_1;

    /** "SLLF" read as a little-endian int. */
    static final int MAGIC = 'S' | 'L' << 8 | 'L' << 16 | 'F' << 24;

    static final int MAGIC_OFFSET = 4;
    static final int VERSION_OFFSET = MAGIC_OFFSET + Integer.BYTES;
    static final int HASH_BITS_OFFSET = VERSION_OFFSET + Short.BYTES;
    static final int HASH_ID_OFFSET = HASH_BITS_OFFSET + Short.BYTES;
    static final int HASH_SEED_OFFSET = HASH_ID_OFFSET + Integer.BYTES;
    static final int LENGTH_OFFSET = HASH_SEED_OFFSET + Long.BYTES;
    static final int ENTRIES_OFFSET = LENGTH_OFFSET + Long.BYTES;
    static final int TOMBSTONES_OFFSET = ENTRIES_OFFSET + Long.BYTES;
    static final int FIRST_ENTRY_OFFSET = TOMBSTONES_OFFSET + Long.BYTES;
    static final int LAST_ENTRY_OFFSET = FIRST_ENTRY_OFFSET + Long.BYTES;
    static final int PAGES_OFFSET = LAST_ENTRY_OFFSET + Long.BYTES;
    static final int SALT_OFFSET = PAGES_OFFSET + Integer.BYTES;
    static final int PAGE_CHECKSUMS_OFFSET = SALT_OFFSET + Integer.BYTES;

    /** In an index page. */
    static final int INDEX_OFFSET = 8;

    static final int INDEX_LENGTH = (PageLayout.BYTES - INDEX_OFFSET) / Long.BYTES;

    static final long NO_FIRST_ENTRY = 0;
    static final long NO_LAST_ENTRY = -1;

    private LevelFileFormat() {}

    /** Returns the number of index pages for pages of entries. */
    static int indexPages(int pages) {
        return (int) ((pages + (long) INDEX_LENGTH - 1) / INDEX_LENGTH);
    }

    /** Returns the bytes of a file with pages of entries. */
    static long length(int pages) {
        return ((long) pages + indexPages(pages) + 1) << PageLayout.SHIFT;
    }

    /** What the footer says. */
    record Footer(LevelFileInfo info, int pages, int salt, int pageChecksums) {

        /**
         * Writes it to the page at the beginning of {@code into}; the checksum in the info is new.
         */
        Footer writeTo(ByteBuffer into) {
            for (int i = 0; i < PageLayout.BYTES; i += Long.BYTES) {
                into.putLong(i, 0);
            }
            into.putInt(MAGIC_OFFSET, MAGIC)
                    .putShort(VERSION_OFFSET, (short) VERSION_CURRENT)
                    .putShort(HASH_BITS_OFFSET, (short) info.hashBits())
                    .putInt(HASH_ID_OFFSET, info.hashId())
                    .putLong(HASH_SEED_OFFSET, Hashing.SEED)
                    .putLong(LENGTH_OFFSET, info.sizeBytes())
                    .putLong(ENTRIES_OFFSET, info.entries())
                    .putLong(TOMBSTONES_OFFSET, info.tombstones())
                    .putLong(FIRST_ENTRY_OFFSET, info.firstEntry())
                    .putLong(LAST_ENTRY_OFFSET, info.lastEntry())
                    .putInt(PAGES_OFFSET, pages)
                    .putInt(SALT_OFFSET, salt)
                    .putInt(PAGE_CHECKSUMS_OFFSET, pageChecksums);
            int checksum = Checksums.of(into, PageLayout.CHECKED_OFFSET, PageLayout.BYTES);
            into.putInt(PageLayout.CHECKSUM_OFFSET, checksum);
            return new Footer(info.withChecksum(checksum), pages, salt, pageChecksums);
        }

        /**
         * Reads the page at the beginning of {@code from}.
         *
         * @param name of the file
         * @param length of the file in bytes, as the directory says
         */
        static Footer readFrom(ByteBuffer from, String name, long length)
                throws CorruptFilterException, UnsupportedFormatException {
            long at = length - PageLayout.BYTES;
            int checksum = from.getInt(PageLayout.CHECKSUM_OFFSET);
            int computed = Checksums.of(from, PageLayout.CHECKED_OFFSET, PageLayout.BYTES);
            if (from.getInt(MAGIC_OFFSET) != MAGIC) {
                throw new CorruptFilterException(
                        name, at + MAGIC_OFFSET, "not a level file: the footer's magic is missing");
            }
            if (checksum != computed) {
                throw new CorruptFilterException(
                        name,
                        at,
                        String.format(
                                "checksum of the footer is %08x, its bytes give %08x",
                                checksum, computed));
            }
            int version = from.getShort(VERSION_OFFSET) & 0xffff;
            if (version > VERSION_CURRENT) {
                throw new UnsupportedFormatException(
                        name, "format version", version, VERSION_CURRENT);
            }
            int hashId = from.getInt(HASH_ID_OFFSET);
            if (hashId != Hashing.XXH3_64 || from.getLong(HASH_SEED_OFFSET) != Hashing.SEED) {
                throw new UnsupportedFormatException(
                        name, "hash algorithm", hashId, Hashing.XXH3_64);
            }
            LevelFileInfo info =
                    new LevelFileInfo(
                            name,
                            from.getLong(LENGTH_OFFSET),
                            from.getLong(ENTRIES_OFFSET),
                            from.getLong(TOMBSTONES_OFFSET),
                            from.getLong(FIRST_ENTRY_OFFSET),
                            from.getLong(LAST_ENTRY_OFFSET),
                            from.getShort(HASH_BITS_OFFSET) & 0xffff,
                            hashId,
                            checksum);
            Footer footer =
                    new Footer(
                            info,
                            from.getInt(PAGES_OFFSET),
                            from.getInt(SALT_OFFSET),
                            from.getInt(PAGE_CHECKSUMS_OFFSET));
            String problem = footer.problem(version, length);
            if (problem != null) {
                throw new CorruptFilterException(name, at, problem);
            }
            return footer;
        }

        /** What is impossible about this footer, or null. */
        private String problem(int version, long length) {
            if (version == 0) {
                return "format version 0 never existed";
            }
            if (info.sizeBytes() != length) {
                return "the footer is of a file of "
                        + info.sizeBytes()
                        + " bytes, this one has "
                        + length;
            }
            if (pages < 0 || LevelFileFormat.length(pages) != length) {
                return pages + " pages of entries do not make " + length + " bytes";
            }
            if (info.hashBits() < 1 || info.hashBits() > Entries.MAX_HASH_BITS) {
                return "impossible number of hash bits " + info.hashBits();
            }
            if (info.entries() < pages
                    || info.entries() > (long) pages * PageLayout.MAX_ENTRIES
                    || info.tombstones() < 0
                    || info.tombstones() > info.entries()) {
                return "impossible number of entries " + info.entries();
            }
            if (pages == 0
                    ? info.firstEntry() != NO_FIRST_ENTRY || info.lastEntry() != NO_LAST_ENTRY
                    : info.firstEntry() < 0 || info.lastEntry() < info.firstEntry()) {
                return "impossible first or last entry";
            }
            return null;
        }
    }
}

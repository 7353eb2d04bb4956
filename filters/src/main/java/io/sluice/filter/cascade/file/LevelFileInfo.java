/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade.file;

import io.sluice.filter.annotation.Internal;

/**
 * What is known about a level file without opening it.
 *
 * @param name in its directory
 * @param sizeBytes a multiple of the page size
 * @param entries tombstones included
 * @param tombstones how many of the entries say "removed"
 * @param firstEntry the smallest entry; 0 if there is none
 * @param lastEntry the largest entry; -1 if there is none
 * @param hashBits p, from 1 to {@value Entries#MAX_HASH_BITS}: bits of the hash in an entry
 * @param hashId algorithm of the hash, see {@link io.sluice.filter.hash.Hashing}
 * @param checksum of the footer, which covers all pages: files with equal checksums are equal
 */
@Internal
public record LevelFileInfo(
        String name,
        long sizeBytes,
        long entries,
        long tombstones,
        long firstEntry,
        long lastEntry,
        int hashBits,
        int hashId,
        int checksum) {

    /** The same file under another name. */
    public LevelFileInfo withName(String newName) {
        return new LevelFileInfo(
                newName,
                sizeBytes,
                entries,
                tombstones,
                firstEntry,
                lastEntry,
                hashBits,
                hashId,
                checksum);
    }

    LevelFileInfo withChecksum(int newChecksum) {
        return new LevelFileInfo(
                name,
                sizeBytes,
                entries,
                tombstones,
                firstEntry,
                lastEntry,
                hashBits,
                hashId,
                newChecksum);
    }
}

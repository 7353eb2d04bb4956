/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade.file;

import io.sluice.filter.format.GoldenFile;
import io.sluice.filter.storage.CrashableDirectory;
import java.io.IOException;
import java.util.SplittableRandom;
import java.util.stream.LongStream;

/** What is in the golden files. */
final class GoldenFiles {

    static final String EVEN = "v1-even.bin";
    static final String TOMBSTONES = "v1-tombstones.bin";
    static final String EMPTY = "v1-empty.bin";

    /** Has more pages than one index page lists; 2 MB, and so it is stored compressed. */
    static final String INDEX_PAGES = "v1-index-pages.bin";

    private GoldenFiles() {}

    static int hashBits(String name) {
        return name.equals(TOMBSTONES) || name.equals(INDEX_PAGES) ? 47 : 20;
    }

    static long[] entries(String name) {
        SplittableRandom random = new SplittableRandom(20261122);
        if (name.equals(EVEN)) {
            return RandomEntries.even(random, 4_000, hashBits(name), 3, 16);
        }
        if (name.equals(TOMBSTONES)) {
            long[] entries = RandomEntries.skewed(random, 1_200, hashBits(name), 1_000);
            return RandomEntries.withTombstones(random, entries, 0.3);
        }
        if (name.equals(INDEX_PAGES)) {
            // Far apart, so that a page has room for few, and regular, so that it compresses well.
            return LongStream.range(0, 376_000).map(i -> i << 43).toArray();
        }
        return new long[0];
    }

    static byte[] write(String name) throws IOException {
        CrashableDirectory directory = new CrashableDirectory();
        LevelFileOptions options = LevelFileOptions.ofHashBits(hashBits(name));
        LevelFiles.write(directory, name, entries(name), options);
        return directory.bytes(name);
    }

    /** Where it is stored, see {@link GoldenFile}. */
    static String stored(String name) {
        return "levelfile/" + (name.equals(INDEX_PAGES) ? name + ".gz" : name);
    }
}

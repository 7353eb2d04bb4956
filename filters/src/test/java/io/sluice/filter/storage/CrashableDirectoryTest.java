/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.storage;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.Seeds;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class CrashableDirectoryTest extends DirectoryContract {

    @Override
    Directory create() {
        return new CrashableDirectory();
    }

    private static byte[] ones(int length) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) 1);
        return bytes;
    }

    @Test
    void aCrashLosesTheNameOfASyncedFileIfTheDirectoryWasNot() throws IOException {
        CrashableDirectory directory = new CrashableDirectory();
        try (WritableFile file = directory.create("a")) {
            file.write(ByteBuffer.wrap(ones(10)));
            file.sync();
        }
        assertThat(directory.crashClone().list()).isEmpty();
        directory.sync();
        assertThat(directory.crashClone().bytes("a")).isEqualTo(ones(10));
        directory.rename("a", "b");
        assertThat(directory.crashClone().list()).containsExactly("a");
        directory.sync();
        directory.delete("b");
        assertThat(directory.crashClone().list()).containsExactly("b");
        directory.sync();
        assertThat(directory.crashClone().list()).isEmpty();
    }

    @Test
    void aCrashLosesBytesThatWereNotSynced() throws IOException {
        CrashableDirectory directory = new CrashableDirectory();
        try (WritableFile file = directory.create("a")) {
            file.write(ByteBuffer.wrap(ones(10)));
            file.sync();
            file.write(ByteBuffer.wrap(ones(10)));
        }
        directory.sync();
        CrashableDirectory left = directory.crashClone();
        assertThat(left.length("a")).isEqualTo(10);
        // What was found after a crash is on the disk.
        assertThat(left.crashClone().length("a")).isEqualTo(10);
        assertThat(directory.length("a")).isEqualTo(20);
    }

    @Test
    void aRandomCrashKeepsWhatWasSyncedAndSomeOfTheRest() throws IOException {
        CrashableDirectory directory = new CrashableDirectory();
        try (WritableFile file = directory.create("a")) {
            file.write(ByteBuffer.wrap(ones(1_000)));
            file.sync();
            directory.sync();
            file.write(ByteBuffer.wrap(ones(4_000)));
        }
        directory.rename("a", "b");
        directory.create("c").close();
        SplittableRandom random = Seeds.random();
        Set<String> names = new HashSet<>();
        Set<Integer> lengths = new HashSet<>();
        boolean torn = false;
        for (int i = 0; i < 100; i++) {
            CrashableDirectory left = directory.crashClone(random);
            names.add(String.join(" ", left.list()));
            byte[] bytes = left.bytes(left.list().get(0));
            assertThat(bytes).hasSizeBetween(1_000, 5_000).startsWith(ones(1_000));
            lengths.add(bytes.length);
            torn |= bytes.length == 5_000 && !Arrays.equals(bytes, ones(5_000));
        }
        assertThat(names).containsExactlyInAnyOrder("a", "b", "b c");
        assertThat(lengths).contains(1_000, 5_000).hasSizeGreaterThan(10);
        assertThat(torn).isTrue();
    }

    @Test
    void aCrashUnlocks() throws IOException {
        CrashableDirectory directory = new CrashableDirectory();
        assertThat(directory.lock()).isNotNull();
        directory.crashClone().lock().close();
    }
}

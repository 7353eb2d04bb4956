/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.FSDataOutputStream;
import org.apache.flink.core.fs.FileSystem.WriteMode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChaosFileSystemTest {
    private static final byte[] BYTES = {1, 2, 3, 4, 5, 6, 7, 8};
    private static final Duration LIMIT = Duration.ofSeconds(30);

    @TempDir Path folder;

    private Path control;
    private ChaosFileSystem files;
    private org.apache.flink.core.fs.Path file;

    @BeforeEach
    void make() {
        control = folder.resolve("control");
        files = new ChaosFileSystem(new Disk(control));
        file = new org.apache.flink.core.fs.Path("chaos://" + folder.resolve("file"));
    }

    @Test
    void aHealthyDiskIsTheLocalOne() throws IOException {
        write();
        assertThat(Files.readAllBytes(folder.resolve("file"))).isEqualTo(BYTES);
        assertThat(files.getFileStatus(file).getLen()).isEqualTo(BYTES.length);
        assertThat(files.listStatus(file.getParent())[0].getPath()).isEqualTo(file);
        try (FSDataInputStream in = files.open(file)) {
            assertThat(in.readAllBytes()).isEqualTo(BYTES);
        }
        assertThat(files.exists(file)).isTrue();
        assertThat(files.delete(file, false)).isTrue();
        assertThat(files.exists(file)).isFalse();
    }

    @Test
    void aFullDiskTakesAPartAndFails() throws Exception {
        DiskState.FULL.write(control);
        until(() -> !writes());
        assertThatThrownBy(this::write)
                .isInstanceOf(IOException.class)
                .hasMessageContaining(file.toString())
                .hasMessageContaining("No space left on device");
        assertThat(Files.size(folder.resolve("file"))).isEqualTo(BYTES.length / 2);
        DiskState.HEALTHY.write(control);
        until(this::writes);
    }

    @Test
    void aDiskWithErrorsFailsSometimes() throws Exception {
        DiskState.errors(0.5, 1).write(control);
        until(() -> !writes());
        int failures = 0;
        for (int i = 0; i < 100; i++) {
            failures += writes() ? 0 : 1;
        }
        assertThat(failures).isBetween(50, 99);
    }

    @Test
    void anErrorIsNotTakenForAMissingFile() throws Exception {
        write();
        DiskState.errors(1, 1).write(control);
        until(() -> !writes());
        assertThatThrownBy(() -> files.exists(file))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Input/output error");
    }

    private boolean writes() {
        try {
            write();
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private void write() throws IOException {
        try (FSDataOutputStream out = files.create(file, WriteMode.OVERWRITE)) {
            out.write(BYTES);
        }
    }

    /** A change is noticed a little later. */
    private static void until(Callable<Boolean> condition) throws Exception {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (!condition.call()) {
            assertThat(System.nanoTime() - deadline).as("not noticed").isNegative();
            Thread.sleep(10);
        }
    }
}

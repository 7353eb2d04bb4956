/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalDirectoriesTest {

    @TempDir Path base;

    /** Another process with a directory, which lives until it is killed. */
    static final class Neighbour {
        private Neighbour() {}

        public static void main(String[] args) throws Exception {
            LocalDirectories.acquire(Path.of(args[0]), "task");
            System.out.println("ready");
            System.in.read();
        }
    }

    @Test
    void aLeaseIsDeletedWithWhatIsInIt() throws Exception {
        LocalDirectories.Lease first = LocalDirectories.acquire(base, "first");
        LocalDirectories.Lease second = LocalDirectories.acquire(base, "second");
        Files.writeString(first.path().resolve("file"), "content");
        first.close();
        assertThat(first.path()).doesNotExist();
        assertThat(second.path()).exists();
        second.close();
        second.close();
        assertThat(entries()).isEmpty();
    }

    @Test
    void whatAKilledProcessLeftIsRemovedButNotWhatALivingOneUses() throws Exception {
        Process killed = neighbour();
        killed.destroyForcibly();
        assertThat(killed.waitFor(1, TimeUnit.MINUTES)).isTrue();
        List<Path> left = entries();
        assertThat(left).hasSize(1);
        Process living = neighbour();
        try {
            // The living one was the next to start, and has removed it.
            assertThat(left.get(0)).doesNotExist();
            List<Path> used = entries();
            assertThat(used).hasSize(1);
            try (LocalDirectories.Lease lease = LocalDirectories.acquire(base, "ours")) {
                assertThat(lease.path()).exists();
                assertThat(used.get(0).resolve("task")).exists();
            }
            assertThat(entries()).isEqualTo(used);
        } finally {
            living.destroyForcibly();
        }
        assertThat(living.waitFor(1, TimeUnit.MINUTES)).isTrue();
        LocalDirectories.acquire(base, "ours").close();
        assertThat(entries()).isEmpty();
    }

    private Process neighbour() throws IOException {
        Process process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-cp",
                                System.getProperty("java.class.path"),
                                Neighbour.class.getName(),
                                base.toString())
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
        assertThat(process.inputReader().readLine()).isEqualTo("ready");
        return process;
    }

    private List<Path> entries() throws IOException {
        try (Stream<Path> entries = Files.list(base)) {
            return entries.toList();
        }
    }
}

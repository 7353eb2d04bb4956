/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClocksTest {
    @TempDir Path work;

    @Test
    void aProcessHasTheRightTimeUntilItsClockIsSet() throws Exception {
        Clocks clocks = new Clocks(work, new FakeTime(Path.of("/lib/faketime.so"), true));
        Path file = Path.of(clocks.environment("broker").get("FAKETIME_TIMESTAMP_FILE"));
        assertThat(file).hasContent("+0");
        clocks.set("broker", Duration.ofHours(-2));
        assertThat(file).hasContent("-7200");
        clocks.set("broker", Duration.ofMinutes(5));
        assertThat(file).hasContent("+300");
    }

    /** A process that is started while its clock is wrong has a wrong clock. */
    @Test
    void aStartDoesNotSetAClock() throws Exception {
        Clocks clocks = new Clocks(work, new FakeTime(Path.of("/lib/faketime.so"), true));
        clocks.environment("broker");
        clocks.set("broker", Duration.ofHours(1));
        Path file = Path.of(clocks.environment("broker").get("FAKETIME_TIMESTAMP_FILE"));
        assertThat(file).hasContent("+3600");
    }

    @Test
    void withoutTheLibraryNothingIsPreloaded() throws Exception {
        assertThat(new Clocks(work, null).environment("broker")).isEmpty();
        assertThat(work).isEmptyDirectory();
    }

    @Test
    void theLibraryIsFoundWherePackagesPutIt() throws Exception {
        List<Path> roots = List.of(work.resolve("none"), work);
        assertThat(FakeTime.find(null, roots)).isEmpty();
        Path folder = Files.createDirectories(work.resolve("faketime"));
        Path library = Files.createFile(folder.resolve("libfaketimeMT.so.1"));
        assertThat(FakeTime.find(null, roots)).contains(new FakeTime(library, false));
    }

    @Test
    void aLibraryThatCannotBePreloadedIsRefused() throws Exception {
        Path none = Files.writeString(work.resolve("libfaketimeMT.so.1"), "no library");
        FakeTime library = FakeTime.find(none).orElseThrow();
        assertThatThrownBy(library::check)
                .hasMessageContaining(none.toString())
                .hasMessageContaining("a wait of 200 ms took");
    }

    @Test
    void theLibraryOfThisMachineSuitsAJvm() throws Exception {
        Optional<FakeTime> library = FakeTime.find(null);
        assumeTrue(library.isPresent(), "libfaketime is not installed");
        library.orElseThrow().check();
    }
}

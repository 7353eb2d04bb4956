/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.cascade;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.bench.ReportTestCase;
import io.sluice.papers.figure.Table;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class CascadeCommandTest extends ReportTestCase {
    @Test
    void everyFigureIsThereAndNoFileIsLeft() throws Exception {
        assertThat(run(new CascadeCommand(), "--keys", "200000", "--peer-seconds", "0.1")).isZero();
        assertThat(figures("cascade"))
                .containsKeys(
                        "cascade.device.randomReads.depth32",
                        "cascade.add.perSecond",
                        "cascade.add.ratioToRocksdb",
                        "cascade.stall.maxMillis",
                        "cascade.inserts.cascade.perSecond",
                        "cascade.inserts.bloomFile.perSecond",
                        "cascade.inserts.elevatorBloomFile.perSecond",
                        "cascade.inserts.rocksdb.perSecond",
                        "cascade.addIfAbsent.perSecond",
                        "cascade.addIfAbsentSummaries.perSecond",
                        "cascade.addIfAbsent.ratioToRocksdb",
                        "cascade.lookup.ratioToDevice",
                        "cascade.lookup.absentBatched.perSecond",
                        "cascade.lookupSummaries.present.perSecond",
                        "cascade.bitsPerKey",
                        "cascade.fpp",
                        "cascade.falseNegatives",
                        "cascade.writeAmplification");
        assertThat(
                        Table.parse(
                                        Files.readAllLines(
                                                directory.resolve(
                                                        "cascade_write_amplification.csv")))
                                .size())
                .isEqualTo(9);
        try (Stream<Path> left = Files.list(directory)) {
            assertThat(left.filter(Files::isDirectory)).isEmpty();
        }
    }

    @Test
    void sizesThatCannotBeMeasuredAreRefused() {
        assertThatThrownBy(() -> run(new CascadeCommand(), "--keys", "1000"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--keys must be at least 200000");
        assertThatThrownBy(() -> run(new CascadeCommand(), "--fpp", "0.5"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--fpp must be from 1.0E-6 to 0.1, got 0.5");
        assertThatThrownBy(() -> run(new CascadeCommand(), "--peer-seconds", "0"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--peer-seconds must be positive");
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.cascade;

import io.sluice.bench.report.BenchReport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;

/** One run: the parts that were asked for, each with files of its own that it removes. */
final class CascadeRun {
    private final BenchReport report;
    private final Scale scale;
    private final Path directory;

    CascadeRun(BenchReport report, Scale scale, Path directory) {
        this.report = report;
        this.scale = scale;
        this.directory = directory;
    }

    void run(Set<CascadeCommand.Part> parts) throws IOException {
        if (parts.contains(CascadeCommand.Part.device)) {
            Path file = directory.resolve("device");
            try (DeviceProbe probe = new DeviceProbe(file, scale.deviceBytes())) {
                DeviceRates.run(report, probe, scale.probeSeconds());
            }
            Files.delete(file);
        }
        if (parts.contains(CascadeCommand.Part.inserts)) {
            insertionsOverTime();
        }
    }

    private void insertionsOverTime() throws IOException {
        report.progress("insertions over time, without asking");
        FigureThree figure = new FigureThree(report);
        long memory = scale.memoryBytes();
        Path bloom = directory.resolve("bloom");
        try (BloomFile filter = new BloomFile(bloom, scale.keys(), scale.fpp(), memory)) {
            figure.add(filter, curve(filter));
        }
        Files.delete(bloom);
        Path elevator = directory.resolve("elevator");
        try (ElevatorBloomFile filter =
                new ElevatorBloomFile(elevator, scale.keys(), scale.fpp(), memory)) {
            figure.add(filter, curve(filter));
        }
        Files.delete(elevator);
        Path rocks = Files.createDirectory(directory.resolve("rocksdb"));
        try (RocksSet set = new RocksSet(rocks, memory, true)) {
            figure.add(set, curve(set));
        }
        Trees.delete(rocks);
        figure.write(
                String.format(
                        Locale.ROOT,
                        "Each structure has %.1f MB of memory and reads and writes past the page"
                                + " cache of the system; at most %,d keys, at most %.0f seconds.",
                        memory / 1e6,
                        scale.keys(),
                        scale.peerSeconds()));
    }

    private InsertionCurve curve(DiskFilter filter) throws IOException {
        return InsertionCurve.run(filter, filter::add, scale.keys(), scale.peerSeconds());
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.cascade;

import io.sluice.bench.report.BenchReport;
import io.sluice.bench.run.BenchCommand;
import io.sluice.flink.testkit.local.Directories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bench cascade}: sets much larger than their memory. */
@Command(
        name = "cascade",
        mixinStandardHelpOptions = true,
        description = {
            "The cascade filter beside a Bloom filter on SSD, an elevator Bloom filter and RocksDB"
                    + " as a set: insertions over time to fifty times the buffer, lookups in files"
                    + " larger than the page cache against the device's rate, write amplification,"
                    + " errors, stalls."
        })
public final class CascadeCommand extends BenchCommand {
    private static final long QUICK_KEYS = 20_000_000;
    private static final long KEYS = 100_000_000;

    @Option(
            names = "--keys",
            paramLabel = "N",
            description = {
                "Keys to insert (default: 100 million; quick 20 million; the long form is 500"
                        + " million and takes about 15 GB of disk for a while)."
            })
    private Long keys;

    @Option(
            names = "--fpp",
            defaultValue = "0.001",
            description = "Requested false-positive probability (default: 0.001).")
    private double fpp;

    @Option(
            names = "--peer-seconds",
            paramLabel = "S",
            description = "When to stop a slow peer (default: 60; quick 5).")
    private Double peerSeconds;

    @Option(
            names = "--directory",
            paramLabel = "DIR",
            description = {
                "Where the sets lie, on the disk to be measured: a directory is created in it and"
                        + " removed (default: the directory of the results)."
            })
    private Path directory;

    @Option(
            names = "--only",
            paramLabel = "PART",
            split = ",",
            description = "Some of device, inserts, dedup, lookups, writes (default: all).")
    private Set<Part> only = EnumSet.allOf(Part.class);

    /** What is measured. */
    enum Part {
        /** What the device can do. */
        device,
        /** Insertions over time beside the peers: figure 3. */
        inserts,
        /** Add if absent with files in the page cache, beside RocksDB; errors; bits a key. */
        dedup,
        /** Lookups in files larger than the page cache, against the device. */
        lookups,
        /** Write amplification by merge policy. */
        writes
    }

    @Override
    protected void measure(BenchReport report) throws IOException {
        long size = keys != null ? keys : report.quick() ? QUICK_KEYS : KEYS;
        Scale scale = Scale.of(size, report.quick(), fpp, peerSeconds);
        Path parent = directory != null ? directory : report.directory();
        Files.createDirectories(parent);
        Path files = Files.createTempDirectory(parent, "cascade-files-");
        try {
            report.progress(
                    "%,d keys, fpp %s, memory for each %.1f MB, files in %s",
                    scale.keys(), scale.fpp(), scale.memoryBytes() / 1e6, files);
            measure(report, scale, files);
        } finally {
            Directories.deleteRecursively(files);
        }
    }

    private void measure(BenchReport report, Scale scale, Path files) throws IOException {
        if (only.contains(Part.device) || only.contains(Part.lookups)) {
            Path file = files.resolve("device");
            try (DeviceProbe probe = new DeviceProbe(file, scale.deviceBytes())) {
                if (only.contains(Part.device)) {
                    probe.figures(report, scale.probeSeconds());
                }
                if (only.contains(Part.lookups)) {
                    new LookupRates(report, scale, files).run(probe);
                }
            }
            Files.delete(file);
        }
        double added = only.contains(Part.inserts) ? new Insertions(report, scale, files).run() : 0;
        if (only.contains(Part.dedup)) {
            double rocks = new AddIfAbsentRates(report, scale, files).run();
            if (added > 0) {
                report.ratio(
                        "cascade.add.ratioToRocksdb",
                        added / rocks,
                        "RocksDB",
                        ">= 30",
                        "additions alone, over a get and a put if absent");
            }
        }
        if (only.contains(Part.writes)) {
            new WriteAmplification(report, scale, files).run();
        }
    }
}

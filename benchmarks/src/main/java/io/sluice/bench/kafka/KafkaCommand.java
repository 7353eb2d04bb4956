/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.kafka;

import io.sluice.bench.report.BenchReport;
import io.sluice.bench.run.BenchOptions;
import io.sluice.local.Directories;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code bench kafka}: the counter job end to end. */
@Command(
        name = "kafka",
        mixinStandardHelpOptions = true,
        description = {
            "The counter job through an embedded broker: records a second from a filled topic to"
                + " committed results, what bounds it, the operators alone beside a no-op keyed"
                + " map, and accuracy and latency of counters with a TaskManager lost on the way."
        })
public final class KafkaCommand implements Callable<Integer> {
    @Mixin private BenchOptions options;

    @Option(
            names = "--packets",
            paramLabel = "N",
            description = "Packets on the topic (default: 4000000, quick 1200000).")
    private long packets;

    @Option(names = "--rounds", paramLabel = "N", description = "Default: 3, quick 1.")
    private int rounds;

    @Override
    public Integer call() throws Exception {
        BenchReport report = options.report("kafka");
        Path directory = Files.createTempDirectory("sluice-bench");
        try {
            EndToEnd.run(
                    report,
                    directory,
                    packets > 0 ? packets : report.quick() ? 1_200_000 : 4_000_000,
                    rounds > 0 ? rounds : report.quick() ? 1 : 3);
            FigureFourteenFifteen.run(report, directory);
        } finally {
            Directories.deleteRecursively(directory);
        }
        report.write();
        return report.ok() ? 0 : 1;
    }
}

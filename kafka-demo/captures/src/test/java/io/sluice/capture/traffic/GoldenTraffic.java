/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture.traffic;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * The options of the golden capture, with something of everything, and the program that wrote it
 * once: {@code GoldenTraffic src/test/resources/golden/traffic}.
 */
final class GoldenTraffic {
    static final TrafficOptions OPTIONS =
            TrafficOptions.builder(30)
                    .seed(42)
                    .duration(Duration.ofSeconds(20))
                    .lengths(new TrafficOptions.Lengths(4, 1.2, 50, Duration.ofSeconds(2), 1.5))
                    .hosts(new TrafficOptions.Hosts(8, 1, 0.2, 0.8))
                    .endings(new TrafficOptions.Endings(0.4, 0.15, 0.2, 0.1, 0.1))
                    .view(new TrafficOptions.View(0.2, 0.2, 0.05, 0.1))
                    .attacks(new TrafficOptions.Attacks(2, 8, 1, 10, 4))
                    .build();

    private GoldenTraffic() {}

    public static void main(String[] arguments) throws IOException {
        Path folder = Files.createDirectories(Path.of(arguments[0]));
        TrafficTruth truth =
                TrafficTruthFile.writeWithFlows(
                        OPTIONS, folder.resolve("v1.pcap"), folder.resolve("v1-flows.csv"));
        TrafficTruthFile.write(folder.resolve("v1.json"), truth);
    }
}

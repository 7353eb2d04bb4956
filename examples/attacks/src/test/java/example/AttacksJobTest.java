/* SPDX-License-Identifier: Apache-2.0 */
package example;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.capture.traffic.TrafficGenerator;
import io.sluice.capture.traffic.TrafficOptions;
import io.sluice.capture.traffic.TrafficTruth;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Generated traffic, of which the truth is known; seen as the demo of Sluice sees its own. */
class AttacksJobTest {

    @TempDir private Path folder;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void everyAttackIsFoundAndNothingElse(long seed) throws Exception {
        Path capture = folder.resolve("traffic.pcap");
        TrafficOptions traffic =
                TrafficOptions.builder(2_000)
                        .seed(seed)
                        .view(new TrafficOptions.View(0.05, 0.1, 0, 0.01))
                        .attacks(new TrafficOptions.Attacks(2, 200, 1, 200, 20))
                        .build();
        TrafficTruth truth = TrafficGenerator.write(traffic, capture, flow -> {});

        Set<String> attacks = new TreeSet<>();
        Stream.of(truth.scans(), truth.floods())
                .flatMap(each -> each.stream())
                .forEach(each -> attacks.add(each.kind() + " " + each.host()));
        assertThat(found(capture)).isEqualTo(attacks).hasSize(3);
    }

    private static Set<String> found(Path capture) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        StreamTableEnvironment tables = StreamTableEnvironment.create(env);
        Set<String> found = new TreeSet<>();
        try (CloseableIterator<Row> alerts =
                AttacksJob.alerts(tables, AttacksJob.read(env, capture.toString()))
                        .execute()
                        .collect()) {
            alerts.forEachRemaining(
                    alert -> found.add(alert.getField("alert") + " " + alert.getField("host")));
        }
        return found;
    }
}

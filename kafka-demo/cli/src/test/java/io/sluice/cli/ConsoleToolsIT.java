/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.flink.testkit.local.EmbeddedKafka;
import io.sluice.job.Topics;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What Kafka's own console producer sends is read by Kafka's own console consumer. */
class ConsoleToolsIT {
    private static final int ORDERS = 200;

    @TempDir private Path folder;

    @Test
    void theConsoleConsumerReadsEachOrderOfTheConsoleProducerOnce() throws Exception {
        List<String> orders = new ArrayList<>();
        for (int i = 0; i < ORDERS; i++) {
            orders.add(
                    String.format(
                            Locale.ROOT, "customer-%d\t{\"order\":{\"id\":\"o-%d\"}}", i % 7, i));
        }
        List<String> sent = new ArrayList<>(orders);
        sent.addAll(orders.subList(50, 150));

        try (EmbeddedKafka kafka = EmbeddedKafka.start(folder);
                ConsoleTools tools = new ConsoleTools(folder, kafka.bootstrapServers())) {
            kafka.createTopics(3, "orders");
            tools.send("orders", sent);

            assertThat(
                            Sluice.run(
                                    "job",
                                    "dedup",
                                    "--bootstrap-servers=" + kafka.bootstrapServers(),
                                    "--input-topic=orders",
                                    "--id=json:/order/id",
                                    "--within=1 h",
                                    "--bounded"))
                    .isZero();

            assertThat(tools.consumer("orders-deduplicated").lines(ORDERS))
                    .containsExactlyInAnyOrderElementsOf(orders);
            assertThat(Topics.readAll(kafka, "orders-deduplicated")).hasSize(ORDERS);
        }
    }

    @Test
    void theConsoleConsumerReadsWhatTheConsoleProducerSentCounted() throws Exception {
        Map<String, Long> exact = new TreeMap<>();
        List<String> views = new ArrayList<>();
        for (int i = 0; i < ORDERS; i++) {
            String page = "/page/" + i * i % 13;
            exact.merge(page, (long) i, Long::sum);
            views.add(
                    "client\t{\"page\":\""
                            + page
                            + "\",\"request\":\"r-"
                            + i
                            + "\",\"n\":"
                            + i
                            + "}");
        }
        List<String> sent = new ArrayList<>(views);
        sent.addAll(views);

        try (EmbeddedKafka kafka = EmbeddedKafka.start(folder);
                ConsoleTools tools = new ConsoleTools(folder, kafka.bootstrapServers())) {
            kafka.createTopics(3, "views");
            tools.send("views", sent);

            assertThat(
                            Sluice.run(
                                    "job",
                                    "counters",
                                    "--bootstrap-servers=" + kafka.bootstrapServers(),
                                    "--input-topic=views",
                                    "--counter=json:/page",
                                    "--id=json:/request",
                                    "--delta=json:/n",
                                    "--bounded"))
                    .isZero();

            Map<String, Long> counted = new TreeMap<>();
            for (String line :
                    tools.consumer("counters").lines(Topics.readAll(kafka, "counters").size())) {
                String[] columns = line.split("\t", 2);
                counted.put(
                        columns[0], new ObjectMapper().readTree(columns[1]).path("value").asLong());
            }
            assertThat(counted).isEqualTo(exact);
        }
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import io.sluice.job.counters.CounterTopic;
import io.sluice.job.counters.StoredCounter;
import io.sluice.job.message.RegistryArguments;
import io.sluice.kafka.BrokerOptions;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of commands that read counters, and how they show them. */
final class CounterTopicArguments {
    private static final int VERSION = 1;
    private static final Duration OVERWRITTEN = Duration.ofSeconds(1);
    private static final Duration KEPT = Duration.ofSeconds(10);

    @Mixin private BrokerOptions brokerOptions = new BrokerOptions();

    @Option(
            names = "--topic",
            defaultValue = "counters",
            paramLabel = "TOPIC",
            description = "The --output-topic of 'job counters'. Default: ${DEFAULT-VALUE}.")
    private String topic;

    @Mixin private RegistryArguments registry = new RegistryArguments();

    @Mixin final Json json = new Json();

    /** A counter for programs. */
    record Shown(String counter, long value, double expectedUndercount, long timestamp) {
        static Shown of(StoredCounter stored) {
            return new Shown(
                    stored.name(), stored.value(), stored.expectedUndercount(), stored.timestamp());
        }
    }

    /**
     * Several of them.
     *
     * @param version of the form of this object
     */
    record Result(int version, String topic, List<Shown> counters) {}

    String topic() {
        return topic;
    }

    /** Returns the topic, whose reading shows on {@code err} how far it is if it takes long. */
    CounterTopic open(PrintWriter err) {
        brokerOptions.check();
        registry.check();
        ProgressLine line = ProgressLine.to(err);
        long interval = (line.isOverwritten() ? OVERWRITTEN : KEPT).toNanos();
        long[] next = {System.nanoTime() + interval};
        return new CounterTopic(
                brokerOptions.brokers(),
                topic,
                registry.registry(),
                (read, all) -> {
                    if (read == all) {
                        line.end();
                    } else if (System.nanoTime() - next[0] >= 0) {
                        line.replace(
                                String.format(
                                        Locale.ROOT,
                                        "read %.0f %% of topic '%s' (%,d of %,d offsets)",
                                        100.0 * read / all,
                                        topic,
                                        read,
                                        all));
                        next[0] = System.nanoTime() + interval;
                    }
                });
    }

    /** Prints counters in this order. */
    void print(List<StoredCounter> counters, PrintWriter out) {
        json.print(
                out,
                new Result(VERSION, topic, counters.stream().map(Shown::of).toList()),
                CounterTopicArguments::lines);
    }

    private static void lines(Result result, PrintWriter out) {
        for (Shown counter : result.counters()) {
            out.printf(
                    Locale.ROOT,
                    "%s\t%d\t(expected to miss %.3g)\t%s%n",
                    VisibleText.of(counter.counter()),
                    counter.value(),
                    counter.expectedUndercount(),
                    Instant.ofEpochMilli(counter.timestamp()));
        }
    }
}

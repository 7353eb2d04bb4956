/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import io.sluice.inspect.CheckpointCounters;
import io.sluice.job.counters.CounterReading;
import io.sluice.job.counters.CounterTopic;
import io.sluice.job.counters.CountersJob;
import io.sluice.job.counters.StoredCounter;
import io.sluice.job.message.RegistryArguments;
import io.sluice.kafka.BrokerOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import javax.annotation.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The options of commands that read counters, and how they show them. */
final class CounterArguments {
    private static final String CHECKPOINT = "--checkpoint";
    private static final String UID = "--uid";

    /** Options of a topic, which a checkpoint does not have. */
    private static final List<String> OF_TOPICS =
            List.of(
                    "--bootstrap-servers",
                    "--command-config",
                    "--kafka-property",
                    "--topic",
                    "--schema-registry",
                    "--schema-registry-config");

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

    @Option(
            names = CHECKPOINT,
            paramLabel = "CHECKPOINT",
            description =
                    "Read a checkpoint or savepoint in place of the topic: its directory, its"
                            + " _metadata, or a directory of chk-..., of which the latest is taken."
                            + " A path or a URI.")
    private @Nullable String checkpoint;

    @Option(
            names = UID,
            paramLabel = "UID",
            description =
                    "Of the operator in the checkpoint. Default: counters, that of 'job counters'.")
    private @Nullable String uid;

    @Mixin private CheckpointArguments checkpointArguments = new CheckpointArguments();

    @Mixin final Json json = new Json();

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    /** A counter for programs. */
    record Shown(String counter, long value, double expectedUndercount, @Nullable Long timestamp) {
        static Shown of(StoredCounter stored) {
            return new Shown(
                    stored.name(), stored.value(), stored.expectedUndercount(), stored.timestamp());
        }
    }

    /**
     * Several of them.
     *
     * @param version of the form of this object
     * @param topic null if they are in a checkpoint
     * @param checkpoint null if they are on a topic
     */
    record Result(
            int version,
            @Nullable String topic,
            @Nullable String checkpoint,
            List<Shown> counters) {}

    /** Returns where the counters are, for messages. */
    String place() {
        return checkpoint == null ? "topic '" + topic + "'" : checkpoint;
    }

    /** Opens the topic or the checkpoint; says on {@code err} how far a long reading is. */
    CounterReading open(PrintWriter err) throws IOException {
        if (checkpoint != null) {
            refuse(OF_TOPICS, " has no effect with " + CHECKPOINT + ": leave either out");
            String operator = uid == null ? CountersJob.COUNTERS : uid;
            return new CheckpointReading(
                    operator,
                    CheckpointCounters.of(checkpointArguments.load(checkpoint, err), operator));
        }
        refuse(List.of(UID, "--jar"), " has no effect without " + CHECKPOINT + ": leave it out");
        return topic(err);
    }

    private void refuse(List<String> options, String why) {
        for (String option : options) {
            if (command.commandLine().getParseResult().hasMatchedOption(option)) {
                throw new IllegalArgumentException(option + why);
            }
        }
    }

    private CounterTopic topic(PrintWriter err) {
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
                new Result(
                        VERSION,
                        checkpoint == null ? topic : null,
                        checkpoint,
                        counters.stream().map(Shown::of).toList()),
                CounterArguments::lines);
    }

    private static void lines(Result result, PrintWriter out) {
        for (Shown counter : result.counters()) {
            out.printf(
                    Locale.ROOT,
                    "%s\t%d\t(expected to miss %.3g)%s%n",
                    VisibleText.of(counter.counter()),
                    counter.value(),
                    counter.expectedUndercount(),
                    counter.timestamp() == null
                            ? ""
                            : "\t" + Instant.ofEpochMilli(counter.timestamp()));
        }
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.machine;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.sluice.bench.kafka.CommittedRecords;
import io.sluice.bench.kafka.JobTrials;
import io.sluice.bench.kafka.JobTrials.Trial;
import io.sluice.bench.kafka.TimedJob;
import io.sluice.bench.report.BenchReport;
import io.sluice.flink.testkit.local.EmbeddedKafka;
import io.sluice.job.machine.MachineJob;
import io.sluice.job.machine.MachineJobOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * The job that follows machines, from a filled topic of JSON to committed reports, with broker and
 * cluster in this process. The exact store has to report as many finished machines as the trace
 * has.
 */
final class MachinesThroughKafka {
    private static final String TOPIC = "logins";
    private static final int PARTITIONS = 4;
    private static final int PARALLELISM = 2;
    private static final int EVENTS_A_MACHINE = 20;

    /** Enough for the job, and not too many for the disk. */
    private static final int MOST_MACHINES = 100_000;

    /** Event time of the first event. */
    private static final long BEGIN = 1_700_000_000_000L;

    private final BenchReport report;
    private final Path directory;
    private final Path machine;
    private final EventTrace trace;
    private final int machines;

    private MachinesThroughKafka(
            BenchReport report, Path directory, Path machine, EventTrace trace, int machines) {
        this.report = report;
        this.directory = directory;
        this.machine = machine;
        this.trace = trace;
        this.machines = machines;
    }

    /**
     * Runs the job.
     *
     * @param rounds with all variants in turns, after one that warms up
     */
    static void run(BenchReport report, Path directory, int machines, int rounds, long seed)
            throws IOException {
        int live = Math.min(MOST_MACHINES, machines);
        EventTrace trace =
                EventTrace.of(MachineWorkload.logins.define(), live, EVENTS_A_MACHINE * live, seed);
        Path machine = Files.writeString(directory.resolve("logins.yaml"), MachineWorkload.LOGINS);
        new MachinesThroughKafka(report, directory, machine, trace, live).run(rounds);
    }

    private void run(int rounds) throws IOException {
        report.progress("through Kafka, " + trace.length() + " events, " + rounds + " round(s)");
        try (EmbeddedKafka kafka = EmbeddedKafka.start(directory)) {
            fill(kafka);
            List<Trial> trials =
                    List.of(
                            trial(kafka, "alerts", "with alerts", "--alert=illegal,timed-out"),
                            trial(kafka, "exact", "without alerts", "--alert=open"),
                            trial(
                                    kafka,
                                    "fingerprints",
                                    "fingerprints for an error of 1e-4, without alerts",
                                    "--alert=open",
                                    "--error-probability=1e-4"));
            report.table(
                    "machines_kafka.csv",
                    new JobTrials(report, "machines-", trace.length()).run(trials, trials, rounds));
        }
    }

    private Trial trial(EmbeddedKafka kafka, String id, String title, String... more) {
        return new Trial(
                id,
                "sluice job machine, " + title,
                "machines.kafka." + id + ".perSecond",
                "",
                "",
                (name, round) -> once(kafka, name, !id.equals("fingerprints"), more));
    }

    private void fill(EmbeddedKafka kafka) throws IOException {
        kafka.createTopics(PARTITIONS, TOPIC);
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(
                        Map.of(
                                ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                                kafka.bootstrapServers(),
                                ProducerConfig.COMPRESSION_TYPE_CONFIG,
                                "lz4",
                                ProducerConfig.LINGER_MS_CONFIG,
                                20),
                        new ByteArraySerializer(),
                        new ByteArraySerializer())) {
            for (int i = 0; i < trace.length(); i++) {
                var unused = producer.send(record(i));
            }
            producer.flush();
        }
    }

    private ProducerRecord<byte[], byte[]> record(int i) {
        String user = "user-" + Long.toHexString(trace.id(i));
        long at = BEGIN + trace.millis(i);
        String value =
                "{\"type\":\""
                        + trace.machine().events().get(trace.event(i))
                        + "\",\"user\":\""
                        + user
                        + "\",\"at\":"
                        + at
                        + "}";
        int partition = (int) Long.remainderUnsigned(trace.id(i), PARTITIONS);
        return new ProducerRecord<>(
                TOPIC, partition, at, user.getBytes(US_ASCII), value.getBytes(US_ASCII));
    }

    private TimedJob once(EmbeddedKafka kafka, String name, boolean isExact, String... more)
            throws IOException {
        kafka.createTopics(PARALLELISM, name, name + "-alerts", name + "-dead");
        List<String> arguments =
                new ArrayList<>(
                        List.of(
                                MachineJobOptions.BOOTSTRAP_SERVERS
                                        + "="
                                        + kafka.bootstrapServers(),
                                MachineJobOptions.INPUT_TOPIC + "=" + TOPIC,
                                MachineJobOptions.OUTPUT_TOPIC + "=" + name,
                                MachineJobOptions.ALERTS_TOPIC + "=" + name + "-alerts",
                                MachineJobOptions.DEAD_LETTER_TOPIC + "=" + name + "-dead",
                                MachineJobOptions.MACHINE + "=" + machine,
                                MachineJobOptions.KEY + "=json:/user",
                                MachineJobOptions.EVENT + "=json:/type",
                                "--time=json:/at",
                                MachineJobOptions.EMIT + "=finished",
                                MachineJobOptions.TRANSACTIONAL_ID_PREFIX + "=" + name,
                                "--expecting=" + machines,
                                MachineJobOptions.CHECKPOINT_INTERVAL + "=2s",
                                MachineJobOptions.PARALLELISM + "=" + PARALLELISM,
                                MachineJobOptions.BOUNDED));
        arguments.addAll(List.of(more));
        StreamExecutionEnvironment env =
                StreamExecutionEnvironment.createLocalEnvironment(PARALLELISM);
        MachineJob.define(env, MachineJobOptions.parse(arguments));
        TimedJob job = TimedJob.run(directory, env, PARALLELISM, name, trace.length());
        if (isExact) {
            long found = CommittedRecords.count(kafka.bootstrapServers(), name);
            report.check(
                    "machines.kafka." + name,
                    found == trace.finished(),
                    "%d machines reported as finished, %d in the trace",
                    found,
                    trace.finished());
        }
        return job;
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.reconcile;

import io.sluice.flink.reconcile.Reconciled;
import io.sluice.job.JobArguments;
import io.sluice.job.JobTopics;
import io.sluice.job.KafkaEnds;
import io.sluice.kafka.InputTopics;
import java.io.IOException;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.KafkaSourceOptions;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * The topics between two replicas: what the peer says comes from its brokers, and what this side
 * says goes to its own.
 *
 * @param replicas both sides
 * @param prefix of the topics
 * @param group prefix of the consumer group
 * @param transactions prefix of the names of the transactions of reports
 */
public record ReplicaEnds(
        JobArguments options,
        ReplicaArguments replicas,
        String prefix,
        String group,
        String transactions) {

    /** Most bytes of a message, for brokers that accept a megabyte. */
    public static final MemorySize MAX_MESSAGE = new MemorySize(900_000);

    private static final String PEER = "peer";

    /** Creates the peer's topics where they are missing, so that either replica may start first. */
    public void prepare() throws IOException {
        JobTopics.create(replicas.peerBrokers(), replicas.peerTopics(prefix), 1);
    }

    /** Returns the messages of the peer. They have no event time, and must not hold it back. */
    public DataStream<byte[]> fromPeer(StreamExecutionEnvironment env) {
        KafkaSource<byte[]> messages =
                KafkaEnds.<byte[]>source(InputTopics.named(replicas.peerTopics(prefix)))
                        .setProperties(
                                KafkaEnds.consumer(
                                        replicas.peerBrokers(),
                                        group + "-" + replicas.replica() + "-messages"))
                        .setDeserializer(new ReconcileSchemas.Bytes())
                        // The topics exist. Looking for more would fail the job while the peer's
                        // broker is down.
                        .setProperty(KafkaSourceOptions.PARTITION_DISCOVERY_INTERVAL_MS.key(), "-1")
                        .build();
        return env.fromSource(messages, WatermarkStrategy.noWatermarks(), PEER).uid(PEER);
    }

    /** Writes what this side says, and its reports. */
    public void write(Reconciled<?, ?> reconciled) {
        // Messages may come twice: the peer recognises them by their numbers.
        KafkaEnds.writeAtLeastOnce(
                reconciled.messages(),
                "messages",
                new ReconcileSchemas.Messages(replicas.topic(prefix, "")),
                options.outputBrokers());
        KafkaEnds.writeOnce(
                reconciled.reports(),
                ReplicaArguments.REPORTS,
                new ReconcileSchemas.Reports(replicas.topic(prefix, ReplicaArguments.REPORTS)),
                options,
                transactions,
                null);
    }
}

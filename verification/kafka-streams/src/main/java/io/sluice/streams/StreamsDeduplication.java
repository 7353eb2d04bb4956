/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.streams;

import com.fasterxml.jackson.core.JsonPointer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.state.Stores;

/**
 * An application that copies a topic of JSON records, each id once within a window: the ids are in
 * a persistent window store, which is as long as the window and logged to a changelog topic.
 *
 * @param name application id, and with it the consumer group and the prefix of the changelog topic
 * @param pointer JSON pointer to the id
 * @param window longest time between a record and its duplicates, by the records' timestamps
 * @param commitInterval how often results become visible to readers of committed records
 * @param stateDirectory where the store has its files
 */
record StreamsDeduplication(
        String name,
        String bootstrapServers,
        String input,
        String output,
        String pointer,
        Duration window,
        Duration commitInterval,
        int threads,
        Path stateDirectory) {

    /** A stall of the disk is not a failure of the transaction. */
    private static final int TRANSACTION_TIMEOUT_MILLIS = 60_000;

    Topology topology() {
        JsonPointer compiled = JsonPointer.compile(pointer);
        return new Topology()
                .addSource(
                        "records", new ByteArrayDeserializer(), new ByteArrayDeserializer(), input)
                .addProcessor("first", () -> new FirstWithinWindow(compiled, window), "records")
                .addStateStore(
                        Stores.windowStoreBuilder(
                                Stores.persistentWindowStore(
                                        FirstWithinWindow.STORE, window, window, false),
                                Serdes.ByteArray(),
                                Serdes.ByteArray()),
                        "first")
                .addSink(
                        "firsts",
                        output,
                        new ByteArraySerializer(),
                        new ByteArraySerializer(),
                        "first");
    }

    /** Settings of the application; what is not here has Kafka's default. */
    Properties settings() {
        Properties settings = new Properties();
        settings.put(StreamsConfig.APPLICATION_ID_CONFIG, name);
        settings.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
        settings.put(StreamsConfig.STATE_DIR_CONFIG, stateDirectory.toString());
        settings.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, threads);
        settings.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
        settings.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, commitInterval.toMillis());
        settings.put(
                StreamsConfig.producerPrefix(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG),
                TRANSACTION_TIMEOUT_MILLIS);
        // A restart takes the place of the member before it, which otherwise has to time out first.
        settings.put(StreamsConfig.consumerPrefix(ConsumerConfig.GROUP_INSTANCE_ID_CONFIG), name);
        return settings;
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.job;

import io.sluice.chaos.check.InputCheck;
import io.sluice.chaos.check.TopicReader;
import io.sluice.chaos.truth.AckLog;
import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** A job that reads one topic. */
abstract class OneInputJob implements ChaosJob {
    private final String name;
    private final String input;
    private final Part part;

    /**
     * As in {@link Part}.
     *
     * @param name of the only part too
     */
    OneInputJob(
            String name,
            String input,
            String group,
            boolean hasOnlyFiltersInFiles,
            Program program) {
        this.name = name;
        this.input = input;
        part = new Part(name, group, List.of(input), hasOnlyFiltersInFiles, program);
    }

    @Override
    public final String name() {
        return name;
    }

    @Override
    public final List<String> inputTopics() {
        return List.of(input);
    }

    @Override
    public final List<Part> parts() {
        return List.of(part);
    }

    /** Gives the input to {@code taker}, and makes sure that it is all there. */
    final void readInput(
            TopicReader topics, AckLog log, Consumer<ConsumerRecord<byte[], byte[]>> taker)
            throws IOException {
        readInput(input, topics, log, taker);
    }

    static void readInput(
            String topic,
            TopicReader topics,
            AckLog log,
            Consumer<ConsumerRecord<byte[], byte[]>> taker)
            throws IOException {
        InputCheck check = new InputCheck();
        topics.read(
                topic,
                record -> {
                    check.take(record);
                    taker.accept(record);
                });
        check.judge(topic, PARTITIONS, log);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.flows;

import io.sluice.job.JobArguments;
import io.sluice.job.JobSummary;
import io.sluice.job.JobSummary.Trouble;
import io.sluice.job.KafkaEnds;
import io.sluice.job.KafkaJobOptions;
import io.sluice.job.packet.PacketTopic;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.configuration.MemorySize;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of {@link FlowsJob}. */
@Command(sortOptions = false)
public final class FlowsOptions extends KafkaJobOptions {
    public static final String FLOWS_TOPIC = "--flows-topic";
    public static final String ALERTS_TOPIC = "--alerts-topic";
    public static final String DEAD_LETTER_TOPIC = "--dead-letter-topic";
    public static final String GROUP = "--group";

    @Mixin PacketTopic packets = new PacketTopic();

    @Option(
            names = FLOWS_TOPIC,
            defaultValue = "flows",
            paramLabel = "TOPIC",
            description = "Topic for flows that are over. Default: ${DEFAULT-VALUE}.")
    String flowsTopic;

    @Option(
            names = ALERTS_TOPIC,
            defaultValue = "flows-alerts",
            paramLabel = "TOPIC",
            description =
                    "Topic for alerts: flows with FIN and RST, packets with illegal flags. Default:"
                            + " ${DEFAULT-VALUE}.")
    String alertsTopic;

    @Option(
            names = DEAD_LETTER_TOPIC,
            defaultValue = "flows-dead-letters",
            paramLabel = "TOPIC",
            description = "Topic for records that cannot be read. Default: ${DEFAULT-VALUE}.")
    String deadLetterTopic;

    @Option(
            names = GROUP,
            defaultValue = "sluice-flows",
            paramLabel = "ID",
            description =
                    "Consumer group that offsets are committed for. Default: ${DEFAULT-VALUE}.")
    String group;

    @Mixin FlowArguments flows = new FlowArguments();

    /**
     * The options in {@code arguments}, validated.
     *
     * @throws IllegalArgumentException if one is unknown, missing or out of range
     */
    public static FlowsOptions parse(String... arguments) {
        return JobArguments.parse(new FlowsOptions(), arguments);
    }

    /** Like {@link #parse(String...)}, for a list. */
    public static FlowsOptions parse(List<String> arguments) {
        return parse(arguments.toArray(String[]::new));
    }

    @Override
    public void checkOwn() {
        flows.check();
    }

    @Override
    public Map<String, String> outputTopics() {
        Map<String, String> topics = new LinkedHashMap<>();
        topics.put(FLOWS_TOPIC, flowsTopic);
        topics.put(ALERTS_TOPIC, alertsTopic);
        topics.put(DEAD_LETTER_TOPIC, deadLetterTopic);
        return topics;
    }

    @Override
    public Set<String> compactedTopics() {
        return Set.of();
    }

    @Override
    public List<String> inputTopics() {
        return List.of(packets.name);
    }

    @Override
    public Duration window() {
        return flows.shortestTimeout();
    }

    @Override
    public String group() {
        return group;
    }

    @Override
    public MemorySize heapOfASubtask() {
        return flows.memory();
    }

    @Override
    public JobSummary outcome() {
        Map<String, String> written = new LinkedHashMap<>();
        written.put(FollowedFlows.UID, flowsTopic);
        written.put(FlowsJob.ALERTS_UID, alertsTopic);
        written.put(KafkaEnds.DEAD_LETTERS, deadLetterTopic);
        List<Trouble> troubles = new ArrayList<>(troublesOfTheInput(source()));
        troubles.addAll(flows.troubles(times));
        troubles.addAll(troublesOfDeadLetters(deadLetterTopic));
        return new JobSummary(written, troubles);
    }

    @Override
    public String outputTopic() {
        return flowsTopic;
    }
}

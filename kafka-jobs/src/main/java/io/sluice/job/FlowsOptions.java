/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job;

import io.sluice.flink.attack.AttackAlerts;
import io.sluice.flink.attack.AttackOptions;
import io.sluice.flink.flow.FlowMetrics;
import io.sluice.flink.flow.FlowTimeouts;
import io.sluice.flink.flow.StoreKind;
import io.sluice.flink.flow.WhenFull;
import io.sluice.job.Outcome.Trouble;
import io.sluice.record.FlowKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.flink.configuration.MemorySize;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The options of {@link FlowsJob}. */
@Command(sortOptions = false)
public final class FlowsOptions extends KafkaJobOptions {
    /** In a backlog one partition may be read hours ahead of another. */
    private static final Duration LEAST_DEFAULT_FUTURE = Duration.ofDays(1);

    @Option(
            names = "--flows-topic",
            defaultValue = "flows",
            paramLabel = "TOPIC",
            description = "Topic for flows that are over. Default: ${DEFAULT-VALUE}.")
    String flowsTopic = "flows";

    @Option(
            names = "--alerts-topic",
            defaultValue = "flows-alerts",
            paramLabel = "TOPIC",
            description =
                    "Topic for alerts: flows with FIN and RST, packets with illegal flags, SYN"
                            + " floods, scans. Default: ${DEFAULT-VALUE}.")
    String alertsTopic = "flows-alerts";

    @Option(
            names = "--dead-letter-topic",
            defaultValue = "flows-dead-letters",
            paramLabel = "TOPIC",
            description = "Topic for records that cannot be read. Default: ${DEFAULT-VALUE}.")
    String deadLetterTopic = "flows-dead-letters";

    @Option(
            names = "--group",
            defaultValue = "sluice-flows",
            paramLabel = "ID",
            description =
                    "Consumer group that offsets are committed for. Default: ${DEFAULT-VALUE}.")
    String group = "sluice-flows";

    @Option(
            names = "--store",
            defaultValue = "exact",
            paramLabel = "KIND",
            description =
                    "What remembers flows: 'exact', a map, or 'kbf', the key-value Bloom filter."
                            + " Default: ${DEFAULT-VALUE}.")
    StoreKind store = StoreKind.EXACT;

    @Option(
            names = "--flow",
            defaultValue = "connection",
            paramLabel = "KIND",
            description =
                    "What is one flow: a 'connection' (addresses and ports), or a 'pair' of"
                            + " addresses. Default: ${DEFAULT-VALUE}.")
    FlowKind flow = FlowKind.CONNECTION;

    @Option(
            names = "--opening-timeout",
            defaultValue = "30 s",
            converter = Converters.OfDuration.class,
            paramLabel = "DURATION",
            description = "How long a handshake may be idle. Default: ${DEFAULT-VALUE}.")
    Duration openingTimeout = FlowTimeouts.DEFAULT.opening();

    @Option(
            names = "--open-timeout",
            defaultValue = "5 min",
            converter = Converters.OfDuration.class,
            paramLabel = "DURATION",
            description = "How long a connection may be idle. Default: ${DEFAULT-VALUE}.")
    Duration openTimeout = FlowTimeouts.DEFAULT.open();

    @Option(
            names = "--closed-timeout",
            defaultValue = "15 s",
            converter = Converters.OfDuration.class,
            paramLabel = "DURATION",
            description =
                    "How long packets that trail behind the end of a flow are absorbed. Default:"
                            + " ${DEFAULT-VALUE}.")
    Duration closedTimeout = FlowTimeouts.DEFAULT.closed();

    @Option(
            names = "--max-future",
            converter = Converters.OfDuration.class,
            paramLabel = "DURATION",
            description =
                    "How far a packet may be ahead of event time, which is that of the partition"
                            + " furthest behind; a packet beyond that is counted, and followed as"
                            + " if it were exactly that far ahead. A backlog is read one partition"
                            + " after another, so a value that covers less than 8 MiB of a"
                            + " partition is too small. Default: the longest timeout, at least a"
                            + " day.")
    Duration maxFuture;

    @Option(
            names = "--slices",
            defaultValue = "1",
            paramLabel = "N",
            description =
                    "A flow times out at most 1/N of its timeout late. Default: ${DEFAULT-VALUE}.")
    int slices = 1;

    @Option(
            names = "--expecting",
            defaultValue = "100000",
            paramLabel = "N",
            description =
                    "Flows at one time, to size the first filters; they adapt later. Default:"
                            + " ${DEFAULT-VALUE}.")
    long expecting = 100_000;

    @Option(
            names = "--bits-per-flow",
            defaultValue = "96",
            paramLabel = "BITS",
            description = "Bits per flow of a full key-value filter. Default: ${DEFAULT-VALUE}.")
    double bitsPerFlow = 96;

    @Option(
            names = "--memory",
            defaultValue = "256mb",
            converter = Converters.OfMemorySize.class,
            paramLabel = "SIZE",
            description = "Hard cap on the flows of one subtask. Default: ${DEFAULT-VALUE}.")
    MemorySize memory = MemorySize.ofMebiBytes(256);

    @Option(
            names = "--when-full",
            defaultValue = "IGNORE",
            paramLabel = "POLICY",
            description =
                    "What happens to flows beyond that: ${COMPLETION-CANDIDATES}. Default:"
                            + " ${DEFAULT-VALUE}.")
    WhenFull whenFull = WhenFull.IGNORE;

    @Option(
            names = "--no-attacks",
            description =
                    "Does not look for floods and scans, which is faster. A job that continues from"
                            + " a savepoint with their state then needs Flink's"
                            + " --allowNonRestoredState.")
    boolean withoutAttacks;

    @Option(
            names = "--flood-attempts",
            defaultValue = "500",
            paramLabel = "N",
            description =
                    "Attempts on one service in a window, neither completed nor refused, that make"
                            + " a SYN flood. Default: ${DEFAULT-VALUE}.")
    int floodAttempts = AttackOptions.FLOOD_ATTEMPTS.defaultValue();

    @Option(
            names = "--flood-window",
            defaultValue = "10 s",
            converter = Converters.OfDuration.class,
            paramLabel = "DURATION",
            description =
                    "Window of event time in which they are counted. Default:"
                            + " ${DEFAULT-VALUE}.")
    Duration floodWindow = AttackOptions.FLOOD_WINDOW.defaultValue();

    @Option(
            names = "--scan-targets",
            defaultValue = "100",
            paramLabel = "N",
            description =
                    "Services that one host asks in a window that make a scan. Default:"
                            + " ${DEFAULT-VALUE}.")
    int scanTargets = AttackOptions.SCAN_TARGETS.defaultValue();

    @Option(
            names = "--scan-window",
            defaultValue = "1 min",
            converter = Converters.OfDuration.class,
            paramLabel = "DURATION",
            description =
                    "Window of event time in which they are counted. Default:"
                            + " ${DEFAULT-VALUE}.")
    Duration scanWindow = AttackOptions.SCAN_WINDOW.defaultValue();

    @Option(
            names = "--attack-completed-share",
            defaultValue = "0.25",
            paramLabel = "SHARE",
            description =
                    "With a larger share of completed handshakes in a window there is no flood or"
                            + " scan. Default: ${DEFAULT-VALUE}.")
    double attackCompletedShare = AttackOptions.COMPLETED_SHARE.defaultValue();

    @Option(
            names = "--attack-quiet",
            defaultValue = "2 min",
            converter = Converters.OfDuration.class,
            paramLabel = "DURATION",
            description =
                    "How long there must be no attack before one is over; at least a window."
                            + " Default: ${DEFAULT-VALUE}.")
    Duration attackQuiet = AttackOptions.QUIET.defaultValue();

    @Option(
            names = "--attack-parties",
            defaultValue = "200000",
            paramLabel = "N",
            description =
                    "How many services, and hosts that ask, are told apart in half a window; there"
                            + " is room for four times that number, beyond it the smallest are"
                            + " forgotten. Default: ${DEFAULT-VALUE}.")
    int attackParties = AttackOptions.PARTIES.defaultValue();

    @Option(
            names = "--attack-one-sided",
            description =
                    "The capture has only the clients' packets: a client that goes on after its SYN"
                            + " has completed the handshake, even if no answer was seen.")
    boolean attackOneSided;

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

    /** The timeouts; {@link #check()} makes them first, so that a wrong one is reported early. */
    FlowTimeouts timeouts() {
        return new FlowTimeouts(openingTimeout, openTimeout, closedTimeout, slices);
    }

    /** How far ahead of event time a packet is believed. */
    Duration maxFuture() {
        if (maxFuture != null) {
            return maxFuture;
        }
        return Stream.of(openingTimeout, openTimeout, closedTimeout, LEAST_DEFAULT_FUTURE)
                .max(Comparator.naturalOrder())
                .orElseThrow();
    }

    /** The builder for attack alerts, without a uid. */
    AttackAlerts attacks() {
        AttackAlerts attacks =
                AttackAlerts.create()
                        .floods(floodAttempts, floodWindow)
                        .scans(scanTargets, scanWindow)
                        .completedShare(attackCompletedShare)
                        .quiet(attackQuiet)
                        .parties(attackParties);
        return attackOneSided ? attacks.oneSidedCapture() : attacks;
    }

    @Override
    void checkOwn() {
        FlowTimeouts unused = timeouts();
        atLeast("--max-future", maxFuture(), Duration.ZERO);
        if (maxFuture().compareTo(FlowTimeouts.MAX_TIMEOUT) > 0) {
            throw new IllegalArgumentException(
                    "--max-future must be at most "
                            + FlowTimeouts.MAX_TIMEOUT.toDays()
                            + " days, but is "
                            + maxFuture().toDays()
                            + " days: lower it");
        }
        AttackAlerts unusedToo = attacks().check();
    }

    @Override
    Map<String, String> topics() {
        Map<String, String> topics = new LinkedHashMap<>();
        topics.put("--input-topic", inputTopic);
        topics.put("--flows-topic", flowsTopic);
        topics.put("--alerts-topic", alertsTopic);
        topics.put("--dead-letter-topic", deadLetterTopic);
        return topics;
    }

    @Override
    Set<String> compactedTopics() {
        return Set.of();
    }

    @Override
    String group() {
        return group;
    }

    @Override
    public Outcome outcome() {
        Map<String, String> written = new LinkedHashMap<>();
        written.put(FlowsJob.FLOWS, flowsTopic);
        written.put(FlowsJob.ALERTS_UID, alertsTopic);
        if (!withoutAttacks) {
            written.put(FlowsJob.ATTACKS, alertsTopic);
        }
        written.put(PacketEnds.DEAD_LETTERS, deadLetterTopic);
        String operator = "FlowStateMachine: " + FlowsJob.FLOWS;
        List<Trouble> troubles = new ArrayList<>(troublesOfTheInput());
        troubles.add(
                new Trouble(
                        operator,
                        FlowMetrics.LATE,
                        "packets were behind event time; their flows may have timed out before they"
                                + " came. Raise --out-of-orderness ("
                                + text(outOfOrderness)
                                + ") if they are out of order within a partition"));
        troubles.add(
                new Trouble(
                        operator,
                        FlowMetrics.FUTURE,
                        "packets were more than --max-future ("
                                + text(maxFuture())
                                + ") ahead of event time, and were followed as if they were exactly"
                                + " that far ahead: if their times are right, raise --max-future"));
        troubles.add(
                new Trouble(
                        operator,
                        FlowMetrics.WITHOUT_ROOM,
                        "packets belonged to flows that found no room in --memory ("
                                + memory
                                + "), where --when-full is "
                                + whenFull
                                + ": raise --memory"));
        troubles.add(
                new Trouble(
                        operator,
                        FlowMetrics.OPEN,
                        "flows were still open at the end, and are not written"));
        troubles.addAll(troublesOfDeadLetters(deadLetterTopic));
        return new Outcome(written, troubles);
    }

    @Override
    String outputTopic() {
        return flowsTopic;
    }
}

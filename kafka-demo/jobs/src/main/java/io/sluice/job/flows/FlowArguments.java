/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.flows;

import io.sluice.flink.flow.FlowMetrics;
import io.sluice.flink.flow.FlowOptions;
import io.sluice.flink.flow.FlowTimeouts;
import io.sluice.flink.flow.StoreKind;
import io.sluice.flink.flow.WhenFull;
import io.sluice.job.Converters;
import io.sluice.job.EventTimeArguments;
import io.sluice.job.JobArguments;
import io.sluice.job.JobSummary.Trouble;
import io.sluice.record.FlowKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.apache.flink.configuration.MemorySize;
import picocli.CommandLine.Option;

/** What a TCP flow is and how it is followed, whatever the packets are read from. */
public final class FlowArguments {
    public static final String STORE = "--store";
    public static final String FLOW = "--flow";
    public static final String OPENING_TIMEOUT = "--opening-timeout";
    public static final String OPEN_TIMEOUT = "--open-timeout";
    public static final String CLOSED_TIMEOUT = "--closed-timeout";
    public static final String MAX_FUTURE = "--max-future";
    public static final String SLICES = "--slices";
    public static final String EXPECTING = "--expecting";
    public static final String BITS_PER_FLOW = "--bits-per-flow";
    public static final String MEMORY = "--memory";
    public static final String WHEN_FULL = "--when-full";

    /** In a backlog one partition may be read hours ahead of another. */
    private static final Duration MIN_DEFAULT_FUTURE = Duration.ofDays(1);

    @Option(
            names = STORE,
            paramLabel = "KIND",
            description =
                    "What remembers flows: 'exact', a map, or 'kbf', the key-value Bloom filter."
                            + " Default: ${DEFAULT-VALUE}.")
    StoreKind store = FlowOptions.STORE.defaultValue();

    @Option(
            names = FLOW,
            defaultValue = "connection",
            paramLabel = "KIND",
            description =
                    "What is one flow: a 'connection' (addresses and ports), or a 'pair' of"
                            + " addresses. Default: ${DEFAULT-VALUE}.")
    FlowKind flow;

    @Option(
            names = OPENING_TIMEOUT,
            defaultValue = "30 s",
            converter = Converters.OfDuration.class,
            paramLabel = "DURATION",
            description = "How long a handshake may be idle. Default: ${DEFAULT-VALUE}.")
    Duration openingTimeout;

    @Option(
            names = OPEN_TIMEOUT,
            defaultValue = "5 min",
            converter = Converters.OfDuration.class,
            paramLabel = "DURATION",
            description = "How long a connection may be idle. Default: ${DEFAULT-VALUE}.")
    Duration openTimeout;

    @Option(
            names = CLOSED_TIMEOUT,
            defaultValue = "15 s",
            converter = Converters.OfDuration.class,
            paramLabel = "DURATION",
            description =
                    "How long packets that trail behind the end of a flow are absorbed. Default:"
                            + " ${DEFAULT-VALUE}.")
    Duration closedTimeout;

    @Option(
            names = MAX_FUTURE,
            converter = Converters.OfDuration.class,
            paramLabel = "DURATION",
            description =
                    "How far a packet may be ahead of event time; a packet beyond that is counted,"
                            + " and followed as if it were exactly that far ahead. On a topic,"
                            + " event time is that of the partition furthest behind, so a value"
                            + " below --max-drift is too small, and with --max-drift off one that"
                            + " covers less than a backlog. Default: the longest timeout, at least"
                            + " a day.")
    Duration maxFuture;

    @Option(
            names = SLICES,
            paramLabel = "N",
            description =
                    "A flow times out at most 1/N of its timeout late. Default: ${DEFAULT-VALUE}.")
    int slices = FlowOptions.SLICES.defaultValue();

    @Option(
            names = EXPECTING,
            paramLabel = "N",
            description =
                    "Flows at one time, to size the first filters; they adapt later. Default:"
                            + " ${DEFAULT-VALUE}.")
    long expecting = FlowOptions.EXPECTED_FLOWS.defaultValue();

    @Option(
            names = BITS_PER_FLOW,
            paramLabel = "BITS",
            description = "Bits per flow of a full key-value filter. Default: ${DEFAULT-VALUE}.")
    double bitsPerFlow = FlowOptions.BITS_PER_FLOW.defaultValue();

    @Option(
            names = MEMORY,
            converter = Converters.OfMemorySize.class,
            paramLabel = "SIZE",
            description = "Hard cap on the flows of one subtask. Default: ${DEFAULT-VALUE}.")
    MemorySize memory = FlowOptions.MEMORY.defaultValue();

    @Option(
            names = WHEN_FULL,
            paramLabel = "POLICY",
            description =
                    "What happens to flows beyond that: ${COMPLETION-CANDIDATES}. Default:"
                            + " ${DEFAULT-VALUE}.")
    WhenFull whenFull = FlowOptions.WHEN_FULL.defaultValue();

    /** The timeouts; {@link #check()} makes them first, so that a wrong one is reported early. */
    FlowTimeouts timeouts() {
        return new FlowTimeouts(openingTimeout, openTimeout, closedTimeout, slices);
    }

    /** After which flows end first. */
    Duration shortestTimeout() {
        return Stream.of(openingTimeout, openTimeout, closedTimeout)
                .min(Comparator.naturalOrder())
                .orElseThrow();
    }

    /** How far ahead of event time a packet is believed. */
    Duration maxFuture() {
        if (maxFuture != null) {
            return maxFuture;
        }
        return Stream.of(openingTimeout, openTimeout, closedTimeout, MIN_DEFAULT_FUTURE)
                .max(Comparator.naturalOrder())
                .orElseThrow();
    }

    /**
     * Checks all of them.
     *
     * @throws IllegalArgumentException naming option, bound, value and remedy
     */
    public void check() {
        FlowTimeouts unused = timeouts();
        JobArguments.atLeast(MAX_FUTURE, maxFuture(), Duration.ZERO);
        if (maxFuture().compareTo(FlowTimeouts.MAX_TIMEOUT) > 0) {
            throw new IllegalArgumentException(
                    MAX_FUTURE
                            + " must be at most "
                            + FlowTimeouts.MAX_TIMEOUT.toDays()
                            + " days, but is "
                            + maxFuture().toDays()
                            + " days: lower it");
        }
    }

    /**
     * What may happen to packets and flows while they are followed.
     *
     * @param times the options that event time depends on
     */
    public List<Trouble> troubles(EventTimeArguments times) {
        List<Trouble> troubles = new ArrayList<>();
        Collections.addAll(
                troubles,
                new Trouble(
                        FollowedFlows.OPERATOR,
                        FlowMetrics.LATE,
                        "packets were behind event time; their flows may have timed out before they"
                                + " came. Raise --out-of-orderness ("
                                + JobArguments.text(times.outOfOrderness)
                                + ") if they are out of order within a partition or"
                                + " a capture"),
                new Trouble(
                        FollowedFlows.OPERATOR,
                        FlowMetrics.FUTURE,
                        "packets were more than --max-future ("
                                + JobArguments.text(maxFuture())
                                + ") ahead of event time, and were followed as if they were exactly"
                                + " that far ahead: if their times are right, raise --max-future"),
                new Trouble(
                        FollowedFlows.OPERATOR,
                        FlowMetrics.WITHOUT_ROOM,
                        "packets belonged to flows that found no room in --memory ("
                                + memory
                                + "), where --when-full is "
                                + whenFull
                                + ": raise --memory"));
        if (store == StoreKind.KBF) {
            troubles.add(
                    new Trouble(
                            FollowedFlows.OPERATOR,
                            FlowMetrics.OPEN,
                            "flows were still open at the end, and are not written: a key-value"
                                    + " filter cannot list them"));
        }
        return troubles;
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.flows;

import io.sluice.flink.flow.FlowMetrics;
import io.sluice.flink.flow.FlowOptions;
import io.sluice.flink.machine.store.StoreKind;
import io.sluice.flink.machine.store.StoreOptions;
import io.sluice.flink.machine.store.WhenFull;
import io.sluice.job.EventTimeArguments;
import io.sluice.job.JobArguments;
import io.sluice.job.JobSummary.Trouble;
import io.sluice.job.OperatorArgument;
import io.sluice.job.OperatorArguments;
import io.sluice.record.FlowKey;
import io.sluice.record.FlowKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.ReadableConfig;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** What a TCP flow is and how it is followed, whatever the packets are read from. */
public final class FlowArguments {
    public static final String STORE = "--store";
    public static final String ERROR_PROBABILITY = "--error-probability";
    public static final String FLOW = "--flow";
    public static final String VLANS = "--vlans";
    public static final String TOTALS = "--totals";
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

    private static final List<OperatorArgument<?>> OPERATOR =
            List.of(
                    OperatorArgument.of(STORE, "KIND", FlowOptions.STORE, StoreKind.class),
                    OperatorArgument.of(
                            ERROR_PROBABILITY, "P", FlowOptions.ERROR_PROBABILITY, Double.class),
                    timeout(OPENING_TIMEOUT, FlowOptions.OPENING_TIMEOUT),
                    timeout(OPEN_TIMEOUT, FlowOptions.OPEN_TIMEOUT),
                    timeout(CLOSED_TIMEOUT, FlowOptions.CLOSED_TIMEOUT),
                    OperatorArgument.of(
                                    MAX_FUTURE, "DURATION", FlowOptions.MAX_FUTURE, Duration.class)
                            .withNote(
                                    "In a job that is at least a day. On a topic, the watermark is"
                                            + " that of the partition furthest behind, so a value"
                                            + " below --max-drift is too small, and with"
                                            + " --max-drift off one that covers less than a"
                                            + " backlog."),
                    OperatorArgument.of(SLICES, "N", FlowOptions.SLICES, Integer.class),
                    OperatorArgument.of(EXPECTING, "N", FlowOptions.EXPECTING, Long.class),
                    OperatorArgument.of(
                            BITS_PER_FLOW, "BITS", FlowOptions.BITS_PER_FLOW, Double.class),
                    OperatorArgument.of(MEMORY, "SIZE", FlowOptions.MEMORY, MemorySize.class),
                    OperatorArgument.of(WHEN_FULL, "POLICY", FlowOptions.WHEN_FULL, WhenFull.class),
                    OperatorArgument.of(TOTALS, "true|false", FlowOptions.TOTALS, Boolean.class)
                            .withNote("On captures they are kept if --store is exact."));

    @Option(
            names = FLOW,
            defaultValue = "connection",
            paramLabel = "KIND",
            description =
                    "What is one flow: a 'connection' (addresses and ports), or a 'pair' of"
                            + " addresses. Default: ${DEFAULT-VALUE}.")
    FlowKind flow;

    @Option(
            names = VLANS,
            description =
                    "Takes equal addresses and ports in different VLANs for different flows. By"
                            + " default, tags are ignored: the two directions of one flow may have"
                            + " different tags. Fixed once there is a savepoint.")
    boolean vlans;

    private final OperatorArguments operator = new OperatorArguments(OPERATOR);

    private boolean keepsTotalsByDefault;

    private static OperatorArgument<Duration> timeout(String name, ConfigOption<Duration> option) {
        return OperatorArgument.of(name, "DURATION", option, Duration.class);
    }

    /** Adds the operator's options to a command; the library of the command line calls it. */
    @Spec(Spec.Target.MIXEE)
    public void addTo(CommandSpec command) {
        operator.addTo(command);
    }

    /** Returns which flow a packet belongs to. */
    FlowKey key() {
        return new FlowKey(flow, vlans);
    }

    /** The options of the operator. */
    ReadableConfig options() {
        Configuration options = operator.options();
        options.set(FlowOptions.MAX_FUTURE, maxFuture());
        options.set(FlowOptions.TOTALS, keepsTotals());
        return options;
    }

    /** Keeps totals where the store can, unless the command line says otherwise. */
    public void keepTotalsByDefault() {
        keepsTotalsByDefault = true;
    }

    private boolean keepsTotals() {
        return operator.isGiven(FlowOptions.TOTALS)
                ? operator.get(FlowOptions.TOTALS)
                : keepsTotalsByDefault && isExact();
    }

    private boolean isExact() {
        return StoreOptions.isExact(
                operator.options(), FlowOptions.STORE, FlowOptions.ERROR_PROBABILITY);
    }

    /** After which flows end first. */
    Duration shortestTimeout() {
        return timeouts().min(Comparator.naturalOrder()).orElseThrow();
    }

    /** Returns the cap on the tables of one subtask. */
    MemorySize memory() {
        return operator.get(FlowOptions.MEMORY);
    }

    /** How far ahead of event time a packet is believed. */
    Duration maxFuture() {
        return operator.options()
                .getOptional(FlowOptions.MAX_FUTURE)
                .orElseGet(
                        () ->
                                Stream.concat(timeouts(), Stream.of(MIN_DEFAULT_FUTURE))
                                        .max(Comparator.naturalOrder())
                                        .orElseThrow());
    }

    private Stream<Duration> timeouts() {
        return Stream.of(
                        FlowOptions.OPENING_TIMEOUT,
                        FlowOptions.OPEN_TIMEOUT,
                        FlowOptions.CLOSED_TIMEOUT)
                .map(operator::get);
    }

    /**
     * Checks all of them.
     *
     * @throws IllegalArgumentException naming option, bound, value and remedy
     */
    public void check() {
        operator.check(options -> FollowedFlows.operator(key()).configure(options).check());
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
                                + operator.get(FlowOptions.MEMORY)
                                + "), where --when-full is "
                                + operator.get(FlowOptions.WHEN_FULL)
                                + ": raise --memory"),
                new Trouble(
                        FollowedFlows.OPERATOR,
                        FlowMetrics.WITHOUT_TOTALS,
                        "flows began when there was no room for their totals in three quarters of"
                                + " --memory ("
                                + operator.get(FlowOptions.MEMORY)
                                + "), and are written without: raise --memory"));
        if (!isExact()) {
            troubles.add(
                    new Trouble(
                            FollowedFlows.OPERATOR,
                            FlowMetrics.OPEN,
                            "flows were still open at the end, and are not written: only --store"
                                    + " exact can list them"));
        }
        return troubles;
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.fault;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** What can go wrong. */
public enum FaultKind {
    /** {@code kill -9} of a TaskManager. */
    KILL_TASKMANAGER,
    /** {@code kill -9} of the JobManager. */
    KILL_JOBMANAGER,
    /** {@code kill -9} of the broker. */
    KILL_BROKER,
    /** SIGSTOP of a TaskManager for longer than heartbeats may be missing, then SIGCONT. */
    STOP_TASKMANAGER,
    /** The same for the JobManager. */
    STOP_JOBMANAGER,
    /** The same for the broker. */
    STOP_BROKER,
    /** The disk of checkpoints is full. */
    DISK_FULL,
    /** The disk of checkpoints returns errors. */
    DISK_ERRORS,
    /** The network to the broker is slow. */
    NET_DELAY,
    /** The network to the broker carries nothing. */
    NET_CUT,
    /** All connections to the broker are reset, several times. */
    NET_RESET,
    /** A job is stopped with a savepoint, and goes on with other options and parallelism. */
    RESCALE,
    /** A job is cancelled, and the file of its newest checkpoint is damaged or missing at first. */
    DAMAGE_CHECKPOINT,
    /** Some records have times that are far ahead. */
    CLOCK_JUMP,
    /** The wall clock of a process steps, and comes back. */
    CLOCK_STEP;

    /** Whether it can only be dealt where the machine has what it needs. */
    public boolean isOptional() {
        return this == CLOCK_STEP;
    }

    /** As options and messages write it. */
    public String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * The kinds that {@code names} select: a name, or the beginning of several, as in {@code kill}.
     *
     * @throws IllegalArgumentException if one selects none
     */
    public static Set<FaultKind> select(List<String> names) {
        Set<FaultKind> selected = EnumSet.noneOf(FaultKind.class);
        for (String name : names) {
            String wanted = name.strip().toLowerCase(Locale.ROOT);
            Set<FaultKind> matching = EnumSet.noneOf(FaultKind.class);
            for (FaultKind kind : values()) {
                if (kind.text().equals(wanted) || kind.text().startsWith(wanted + "-")) {
                    matching.add(kind);
                }
            }
            if (matching.isEmpty()) {
                throw new IllegalArgumentException(
                        "--only has '"
                                + name
                                + "', which is not a fault: write "
                                + Arrays.stream(values())
                                        .map(FaultKind::text)
                                        .collect(Collectors.joining(", "))
                                + ", or what several begin with, such as kill");
            }
            selected.addAll(matching);
        }
        return selected;
    }
}

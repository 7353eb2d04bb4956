/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import io.sluice.flink.OptionException;
import io.sluice.flink.machine.MachineDefinition;
import io.sluice.flink.machine.MachineOptions;
import io.sluice.flink.machine.Machines;
import io.sluice.flink.machine.store.StoreKind;
import io.sluice.flink.machine.store.StoreSizing;
import io.sluice.job.Converters;
import java.util.Map;
import java.util.stream.Stream;
import javax.annotation.Nullable;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import picocli.CommandLine.Option;

/** The options that say of how many machines the memory is asked for, and how they are kept. */
final class MachineMemoryArguments {
    private static final String MACHINES = "--machines";
    private static final String STORE = "--store";
    private static final String ERROR = "--error-probability";
    private static final String BITS = "--bits-per-machine";
    private static final String MEMORY = "--memory";
    private static final String PARALLELISM = "--parallelism";
    private static final String MAX_PARALLELISM = "--max-parallelism";

    private static final Map<String, String> NAMES =
            Map.of(
                    MachineOptions.EXPECTING.key(),
                    MACHINES,
                    MachineOptions.ERROR_PROBABILITY.key(),
                    ERROR,
                    MachineOptions.BITS_PER_MACHINE.key(),
                    BITS,
                    MachineOptions.MEMORY.key(),
                    MEMORY);

    @Option(
            names = MACHINES,
            paramLabel = "N",
            description = "Machines of the whole stream at one time, whose memory is printed.")
    private @Nullable Long machines;

    @Option(
            names = STORE,
            paramLabel = "STORE",
            description =
                    "What remembers them: ${COMPLETION-CANDIDATES}. Default: the least memory for"
                            + " --error-probability; without that, EXACT.")
    private @Nullable StoreKind store;

    @Option(
            names = ERROR,
            paramLabel = "P",
            description =
                    "Share of events that may be answered with a wrong state, or not at all,"
                            + " 1.0E-9 to 0.1.")
    private @Nullable Double error;

    @Option(
            names = BITS,
            paramLabel = "BITS",
            description = "Of a full key-value filter for each machine, 16 to 1024. Default: 96.")
    private @Nullable Double bits;

    @Option(
            names = MEMORY,
            converter = Converters.OfMemorySize.class,
            paramLabel = "SIZE",
            description = "Cap of one subtask: exit code 1 if the machines do not fit.")
    private @Nullable MemorySize memory;

    @Option(names = PARALLELISM, paramLabel = "N", description = "Subtasks. Default: 1.")
    private @Nullable Integer parallelism;

    @Option(
            names = MAX_PARALLELISM,
            paramLabel = "N",
            description = "Key groups. Default: what Flink chooses for --parallelism.")
    private @Nullable Integer maxParallelism;

    /**
     * Checks what does not depend on a machine.
     *
     * @throws IllegalArgumentException naming option and remedy
     */
    void check() {
        if (machines == null) {
            Stream.of(
                            given(STORE, store),
                            given(ERROR, error),
                            given(BITS, bits),
                            given(MEMORY, memory),
                            given(PARALLELISM, parallelism),
                            given(MAX_PARALLELISM, maxParallelism))
                    .flatMap(each -> each)
                    .findFirst()
                    .ifPresent(
                            option -> {
                                throw new IllegalArgumentException(
                                        option
                                                + " has no effect without "
                                                + MACHINES
                                                + ": say how many machines there are");
                            });
        } else if (bits != null && store != StoreKind.KBF) {
            throw new IllegalArgumentException(
                    BITS + " has no effect without " + STORE + " kbf: leave it out");
        }
    }

    private static Stream<String> given(String option, @Nullable Object value) {
        return value == null ? Stream.of() : Stream.of(option);
    }

    /**
     * Returns what the machines take; null if nobody asked.
     *
     * @throws IllegalArgumentException if an option is out of range
     */
    @Nullable
    StoreSizing of(MachineDefinition machine) {
        if (machines == null) {
            return null;
        }
        Machines<String, String> of =
                Machines.by((String key) -> key)
                        .machine(machine)
                        .expecting(machines)
                        // Without a cap, there is nothing that the machines may not fit into.
                        .memory(memory == null ? MemorySize.MAX_VALUE : memory);
        if (store != null) {
            of = of.store(store);
        }
        if (error != null) {
            of = of.errorProbability(error);
        }
        if (bits != null) {
            of = of.bitsPerMachine(bits);
        }
        int subtasks = parallelism == null ? 1 : parallelism;
        if (subtasks < 1) {
            throw new IllegalArgumentException(
                    PARALLELISM + " must be at least 1, but is " + subtasks);
        }
        int keyGroups =
                maxParallelism == null
                        ? KeyGroupRangeAssignment.computeDefaultMaxParallelism(subtasks)
                        : maxParallelism;
        if (keyGroups < subtasks) {
            throw new IllegalArgumentException(
                    MAX_PARALLELISM
                            + " must be at least "
                            + PARALLELISM
                            + ", which is "
                            + subtasks
                            + ", but is "
                            + keyGroups
                            + ": raise it");
        }
        try {
            return of.sizing(subtasks, keyGroups);
        } catch (OptionException e) {
            throw new IllegalArgumentException(
                    e.message(
                            (option, value) ->
                                    NAMES.get(option.key()) + (value == null ? "" : " " + value)),
                    e);
        }
    }
}

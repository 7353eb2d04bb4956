/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine;

import io.sluice.flink.WindowedOptions;
import io.sluice.flink.machine.MachineReport.Kind;
import io.sluice.flink.machine.store.StateClasses;
import io.sluice.flink.machine.store.StateTimes;
import io.sluice.flink.machine.store.StoreOptions;
import io.sluice.flink.machine.store.StoreSettings;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.util.OutputTag;

/**
 * How machines are followed. The store, the time domain and the keys are fixed once there is a
 * savepoint.
 *
 * @param renamed the present name of a state by its former one
 * @param emitted to the main output
 * @param illegal where illegal events are reported; null for nowhere
 */
record MachineSettings(
        MachineDefinition machine,
        Map<String, String> renamed,
        StoreSettings stores,
        FollowedTime time,
        List<Kind> emitted,
        @Nullable OutputTag<MachineReport> illegal)
        implements Serializable {

    /**
     * Returns the settings that a configuration has.
     *
     * @throws io.sluice.flink.OptionException if one is out of range
     * @throws IllegalArgumentException if a state is renamed that there is, or to one that there is
     *     not
     */
    static MachineSettings of(
            MachineDefinition machine,
            Map<String, String> renamed,
            ReadableConfig options,
            @Nullable OutputTag<MachineReport> illegal) {
        StoreOptions of = MachineOptions.STORES;
        int slices = options.get(of.slices());
        of.checkSlices(slices);
        StateTimes times = new StateTimes(machine.classes(), slices, opening(machine));
        var maxFuture = options.getOptional(of.maxFuture()).orElse(null);
        of.check(
                options.get(of.expecting()),
                options.get(of.bits()),
                options.get(of.memory()),
                maxFuture);
        Double error = options.getOptional(MachineOptions.ERROR_PROBABILITY).orElse(null);
        MachineOptions.checkError(error);
        FollowedTime time =
                FollowedTime.of(
                        options.get(WindowedOptions.TIME_DOMAIN), maxFuture, times.longestMillis());
        StoreSettings stores =
                of.settings(
                        options,
                        MachineOptions.NOUNS,
                        times,
                        frequencies(machine.classes()),
                        error,
                        time.spreadMillis());
        checkRenamed(machine, renamed);
        return new MachineSettings(
                machine,
                new HashMap<>(renamed),
                stores,
                time,
                List.copyOf(options.get(MachineOptions.EMIT)),
                illegal);
    }

    private static void checkRenamed(MachineDefinition machine, Map<String, String> renamed) {
        renamed.forEach(
                (former, present) -> {
                    String call = "renamed(\"" + former + "\", \"" + present + "\") names ";
                    if (machine.state(present) == MachineDefinition.ILLEGAL) {
                        throw new IllegalArgumentException(
                                call
                                        + "a state that machine '"
                                        + machine.name()
                                        + "' does not have; its states are "
                                        + machine.states()
                                        + ": correct the name.");
                    }
                    int still = machine.state(former);
                    if (still != MachineDefinition.ILLEGAL && machine.isHeld(still)) {
                        throw new IllegalArgumentException(
                                call
                                        + "a successor of '"
                                        + former
                                        + "', which machine '"
                                        + machine.name()
                                        + "' still has: each restore, also after a failure, would"
                                        + " move its machines. Remove the call, or the state.");
                    }
                });
    }

    /**
     * Returns the class that a flood of new keys fills, if there is one: it holds exactly the
     * states that one event leads to.
     */
    private static int opening(MachineDefinition machine) {
        StateClasses classes = machine.classes();
        boolean[] isFirst = new boolean[classes.states()];
        for (int event = 0; event < machine.events().size(); event++) {
            int to = machine.next(machine.initial(), event);
            if (to != MachineDefinition.ILLEGAL && machine.isHeld(to)) {
                isFirst[to] = true;
            }
        }
        for (int c = 0; c < classes.count(); c++) {
            boolean[] ofClass = new boolean[isFirst.length];
            Arrays.fill(
                    ofClass,
                    classes.firstState(c),
                    classes.firstState(c) + classes.states(c),
                    true);
            if (!classes.isTerminal(c) && Arrays.equals(ofClass, isFirst)) {
                return c;
            }
        }
        return StateTimes.NONE;
    }

    /** Nothing is known of how often a state occurs. */
    private static List<double[]> frequencies(StateClasses classes) {
        List<double[]> frequencies = new ArrayList<>();
        for (int c = 0; c < classes.count(); c++) {
            double[] equal = new double[classes.states(c)];
            Arrays.fill(equal, 1.0 / equal.length);
            frequencies.add(equal);
        }
        return frequencies;
    }
}

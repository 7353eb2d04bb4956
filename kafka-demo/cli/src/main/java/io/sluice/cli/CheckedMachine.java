/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import io.sluice.flink.machine.MachineDefinition;
import io.sluice.flink.machine.store.StoreChoice;
import io.sluice.flink.machine.store.StoreSizing;
import io.sluice.job.JobArguments;
import io.sluice.plan.HumanReadable;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import javax.annotation.Nullable;

/**
 * What {@code sluice machine check} found; its components are the fields of its JSON form.
 *
 * @param ok whether the file is a machine
 * @param problem why it is not, with the line and the fix; null if it is
 * @param diagram the text of the diagram; null if nobody asked for it
 * @param memory what the machines take; null if nobody asked
 */
record CheckedMachine(
        int version,
        String file,
        boolean ok,
        @Nullable String problem,
        @Nullable String machine,
        @Nullable String initial,
        List<State> states,
        List<String> events,
        List<Transition> transitions,
        List<String> warnings,
        @Nullable String diagram,
        @Nullable Memory memory) {

    private static final int VERSION = 1;

    /**
     * A state.
     *
     * @param timeToLiveMillis null if the state is not held
     */
    record State(String state, boolean terminal, @Nullable Long timeToLiveMillis) {

        private String text() {
            String time =
                    timeToLiveMillis == null
                            ? "not held"
                            : JobArguments.text(Duration.ofMillis(timeToLiveMillis));
            return String.format(
                    Locale.ROOT, "%-24s %s%s", state, time, terminal ? ", terminal" : "");
        }
    }

    /** A transition, whose output may be null. */
    record Transition(String from, String event, String to, @Nullable String output) {

        private String text() {
            return String.format(Locale.ROOT, "%-24s %-24s %s", from, event, to)
                    + (output == null ? "" : " / " + output);
        }
    }

    /**
     * The memory of machines.
     *
     * @param store what remembers them
     * @param bytesOfSubtask of the subtask that has the most
     * @param memoryBytes the cap of a subtask; null if there is none
     * @param machinesThatFit under that cap; null if there is none
     * @param stores what each store would take
     */
    record Memory(
            String store,
            long machines,
            int parallelism,
            int maxParallelism,
            long bytesOfSubtask,
            @Nullable Long memoryBytes,
            @Nullable Long machinesThatFit,
            List<Store> stores) {

        private static Memory of(StoreSizing sizing) {
            long cap = sizing.settings().memory().getBytes();
            boolean isCapped = cap != Long.MAX_VALUE;
            return new Memory(
                    sizing.settings().kind().name(),
                    sizing.settings().expected(),
                    sizing.parallelism(),
                    sizing.maxParallelism(),
                    sizing.bytesNeeded(),
                    isCapped ? cap : null,
                    isCapped ? sizing.machinesThatFit() : null,
                    sizing.offers().stream().map(Store::of).toList());
        }

        private boolean fits() {
            return memoryBytes == null || bytesOfSubtask <= memoryBytes;
        }

        private String text() {
            String need =
                    String.format(
                            Locale.ROOT,
                            "%s in each of %d subtask(s) for %,d machines, store %s",
                            HumanReadable.bytes((double) bytesOfSubtask),
                            parallelism,
                            machines,
                            store);
            return memoryBytes == null
                    ? need
                    : String.format(
                            Locale.ROOT,
                            "%s; %s hold %,d machines",
                            need,
                            HumanReadable.bytes((double) memoryBytes),
                            machinesThatFit);
        }
    }

    /**
     * A store.
     *
     * @param bytesOfSubtask of the subtask that has the most; null if it cannot hold them
     * @param error share of events that it answers with a wrong state, or not at all, at most
     */
    record Store(String store, @Nullable Long bytesOfSubtask, double error) {

        private static Store of(StoreChoice.Offer offer) {
            boolean fits = offer.bytes() != Long.MAX_VALUE;
            return new Store(offer.kind().name(), fits ? offer.bytes() : null, offer.error());
        }

        private String text() {
            return bytesOfSubtask == null
                    ? String.format(Locale.ROOT, "%-14s cannot hold so many", store)
                    : String.format(
                            Locale.ROOT,
                            "%-14s %-12s %s",
                            store,
                            HumanReadable.bytes((double) bytesOfSubtask),
                            error == 0 ? "exact" : String.format(Locale.ROOT, "%.1e", error));
        }
    }

    static CheckedMachine refused(Path file, String problem) {
        return new CheckedMachine(
                VERSION,
                file.toString(),
                false,
                problem,
                null,
                null,
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                null,
                null);
    }

    static CheckedMachine of(
            Path file,
            MachineDefinition machine,
            @Nullable String diagram,
            @Nullable StoreSizing sizing) {
        List<State> states = new ArrayList<>();
        List<Transition> transitions = new ArrayList<>();
        for (int from = 0; from < machine.states().size(); from++) {
            String name = machine.states().get(from);
            Long millis = machine.timeToLive(from).map(Duration::toMillis).orElse(null);
            states.add(new State(name, machine.isTerminal(from), millis));
            for (int event = 0; event < machine.events().size(); event++) {
                int to = machine.next(from, event);
                if (to != MachineDefinition.ILLEGAL) {
                    transitions.add(
                            new Transition(
                                    name,
                                    machine.events().get(event),
                                    machine.states().get(to),
                                    machine.output(from, event).orElse(null)));
                }
            }
        }
        return new CheckedMachine(
                VERSION,
                file.toString(),
                true,
                null,
                machine.name(),
                machine.states().get(machine.initial()),
                states,
                machine.events(),
                transitions,
                machine.warnings(),
                diagram,
                sizing == null ? null : Memory.of(sizing));
    }

    boolean fits() {
        return memory == null || memory.fits();
    }

    /** Prints the diagram alone if there is one, so that other programs can draw it. */
    void print(PrintWriter out) {
        if (diagram != null) {
            out.print(diagram);
            return;
        }
        line(out, "machine", machine + ", initially " + initial);
        lines(out, "states", states.stream().map(State::text).toList());
        lines(out, "events", events);
        lines(out, "transitions", transitions.stream().map(Transition::text).toList());
        lines(out, "warnings", warnings);
        if (memory != null) {
            line(out, "memory", memory.text());
            lines(out, "stores, error", memory.stores.stream().map(Store::text).toList());
        }
    }

    private static void lines(PrintWriter out, String name, List<String> texts) {
        for (int i = 0; i < texts.size(); i++) {
            line(out, i == 0 ? name : "", texts.get(i));
        }
    }

    private static void line(PrintWriter out, String name, String text) {
        out.printf("%-15s %s%n", name, text);
    }
}

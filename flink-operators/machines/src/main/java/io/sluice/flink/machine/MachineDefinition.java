/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine;

import io.sluice.flink.machine.store.StateClasses;
import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.annotation.Experimental;
import org.apache.flink.annotation.Internal;

/**
 * A finite state machine: its states, its events, and what an event does in each state. Immutable.
 *
 * <pre>{@code
 * MachineDefinition orders = MachineDefinition.named("orders")
 *         .initial("none")
 *         .state("ordered", Duration.ofDays(7))
 *         .state("paid", Duration.ofDays(7))
 *         .terminal("shipped")
 *         .transition("none", "order", "ordered")
 *         .transition("ordered", "pay", "paid")
 *         .transition("paid", "ship", "shipped")
 *         .build();
 * }</pre>
 *
 * <p>A key that is not held is in the initial state: a transition out of it begins a machine, and a
 * transition back to it forgets the machine without a report. A transition into a terminal state
 * finishes the machine, which is reported once. A terminal state with a time-to-live is held for
 * that time, so that what trails is not taken for a new machine; a transition out of it begins the
 * next machine of the key. A terminal state without one is not held at all.
 *
 * <p>Every other state has a time-to-live: a machine that is idle for that long ends in that state.
 * So no machine is held for ever. States with equal times form a class of {@link StateClasses}.
 *
 * <p>States are numbered: first those that are held, class by class, then the others. The numbers
 * change whenever the definition does, so only names are stored.
 */
@Experimental
public final class MachineDefinition implements Serializable {

    private static final long serialVersionUID = 1L;

    /** Most states that are held: a store keeps a state in 5 bits, one of whose values is taken. */
    public static final int MAX_HELD_STATES = 31;

    /** Most states, held or not. */
    public static final int MAX_STATES = 256;

    /** Most events. */
    public static final int MAX_EVENTS = 1_000;

    /** The longest name of a machine, a state, an event or an output, in characters. */
    public static final int MAX_NAME_LENGTH = 64;

    /** {@link #next}: the event is illegal in this state. */
    public static final int ILLEGAL = -1;

    private final String name;
    private final List<String> states;
    private final List<String> events;
    private final StateClasses classes;
    private final int initial;
    private final boolean[] terminal;

    /** Indexed by {@code state * events + event}; {@link #ILLEGAL} where there is no transition. */
    private final short[] table;

    /** Of each transition, like {@link #table}; null where it has none. */
    private final String[] outputs;

    private final Map<String, Integer> codeOfEvent = new HashMap<>();

    /**
     * @param states by their numbers: those of {@code classes} come first
     * @param terminal by the same numbers
     */
    MachineDefinition(
            String name,
            List<String> states,
            List<String> events,
            StateClasses classes,
            int initial,
            boolean[] terminal,
            short[] table,
            String[] outputs) {
        this.name = name;
        this.states = List.copyOf(states);
        this.events = List.copyOf(events);
        this.classes = classes;
        this.initial = initial;
        this.terminal = terminal.clone();
        this.table = table.clone();
        this.outputs = outputs.clone();
        for (int event = 0; event < this.events.size(); event++) {
            codeOfEvent.put(this.events.get(event), event);
        }
    }

    /** Starts the definition of a machine whose states and events are texts. */
    public static MachineBuilder<String, String> named(String name) {
        return new MachineBuilder<>(name, text -> text, text -> text);
    }

    /**
     * Starts the definition of a machine whose states and events are constants of two enums. All
     * constants are events, and all constants are states; their names are what is stored.
     */
    public static <S extends Enum<S>, E extends Enum<E>> MachineBuilder<S, E> named(
            String name, Class<S> states, Class<E> events) {
        return new MachineBuilder<S, E>(name, Enum::name, Enum::name)
                .declare(
                        Arrays.asList(states.getEnumConstants()),
                        Arrays.asList(events.getEnumConstants()));
    }

    /**
     * Reads a definition that is written in YAML or JSON. The text may come from anybody: it has at
     * most 1,048,576 characters, no aliases, and costs time and memory in proportion to its length
     * and to the transitions that it describes.
     *
     * @param source what is read, for messages
     * @throws IllegalArgumentException if the text is not a definition; names line and fix
     */
    public static MachineDefinition parse(String text, String source) {
        return MachineText.parse(text, source);
    }

    /**
     * Reads a definition out of a file in UTF-8, as {@link #parse} does.
     *
     * @throws IllegalArgumentException if the file is not a definition; names line and fix
     * @throws IOException if the file cannot be read
     */
    public static MachineDefinition read(Path file) throws IOException {
        return MachineText.read(file);
    }

    /** Returns the name of the machine. */
    public String name() {
        return name;
    }

    /** Returns the names of all states, by their numbers. */
    public List<String> states() {
        return states;
    }

    /** Returns the names of all events, by their numbers. */
    public List<String> events() {
        return events;
    }

    /** Returns the classes of the states that are held, which are the first ones. */
    @Internal
    public StateClasses classes() {
        return classes;
    }

    /** Returns the number of the state of keys that are not held. */
    public int initial() {
        return initial;
    }

    /** Returns whether a state finishes its machine. */
    public boolean isTerminal(int state) {
        return terminal[state];
    }

    /** Returns whether a key in a state takes memory. */
    public boolean isHeld(int state) {
        return state < classes.states();
    }

    /** Returns how long a machine may be idle in a state; empty if the state is not held. */
    public Optional<Duration> timeToLive(int state) {
        return isHeld(state)
                ? Optional.of(classes.timeToLive(classes.codeOf(state)))
                : Optional.empty();
    }

    /** Returns the number of the event of a name, or {@link #ILLEGAL} if there is none. */
    public int event(String event) {
        return codeOfEvent.getOrDefault(event, ILLEGAL);
    }

    /** Returns the number of the state of a name, or {@link #ILLEGAL} if there is none. */
    public int state(String state) {
        return states.indexOf(state);
    }

    /** Returns the state after an event, or {@link #ILLEGAL}. */
    public int next(int state, int event) {
        return table[state * events.size() + event];
    }

    /** Returns what the transition emits, beside the state that it leads to. */
    public Optional<String> output(int state, int event) {
        return Optional.ofNullable(outputs[state * events.size() + event]);
    }

    /**
     * Returns the diagram of the machine as text for Mermaid. An arrow into a filled circle leaves
     * a terminal state, or, if it names a time, a state whose time is over.
     */
    public String mermaid() {
        return MermaidDiagram.of(this);
    }

    /**
     * Returns the diagram of the machine as text for Graphviz, with the arrows of {@link #mermaid}.
     */
    public String dot() {
        return DotDiagram.of(this);
    }

    /**
     * Returns what may be a mistake, though the machine works: states that only their time-to-live
     * ends, events that are illegal everywhere, and machines that never finish. Each names the fix.
     */
    public List<String> warnings() {
        return MachineWarnings.of(this);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof MachineDefinition that
                && name.equals(that.name)
                && states.equals(that.states)
                && events.equals(that.events)
                && classes.equals(that.classes)
                && initial == that.initial
                && Arrays.equals(terminal, that.terminal)
                && Arrays.equals(table, that.table)
                && Arrays.equals(outputs, that.outputs);
    }

    @Override
    public int hashCode() {
        return 31 * name.hashCode() + Arrays.hashCode(table);
    }

    @Override
    public String toString() {
        return "machine '" + name + "' of states " + states;
    }
}

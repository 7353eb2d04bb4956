/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.machine.store.StateClasses;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Collectors;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Experimental;

/**
 * Builds a {@link MachineDefinition} and checks it: {@link #build} refuses what could not work, and
 * names the state and the fix.
 *
 * @param <S> type of the states
 * @param <E> type of the events
 */
@Experimental
public final class MachineBuilder<S, E> {

    /** Longer times are taken for a mistake in the unit. */
    private static final Duration MAX_TIME_TO_LIVE = Duration.ofDays(366);

    /** Names that a message lists; more would hide the message. */
    private static final int MAX_LISTED = 20;

    /** Each state has at most one transition for each event. */
    private static final int MAX_TRANSITIONS =
            MachineDefinition.MAX_STATES * MachineDefinition.MAX_EVENTS;

    /** A state as it was declared. */
    private record State(@Nullable Duration timeToLive, boolean isTerminal, String where) {}

    /** A transition as it was declared. */
    private record Transition(
            String from, String event, String to, @Nullable String output, String where) {}

    /** What states of one class have in common. */
    private record Kind(Duration timeToLive, boolean isTerminal) {}

    private final String name;
    private final Function<S, String> nameOfState;
    private final Function<E, String> nameOfEvent;
    private final Map<String, State> states = new LinkedHashMap<>();
    private final Set<String> events = new LinkedHashSet<>();
    private final List<Transition> transitions = new ArrayList<>();
    private final List<S> declaredStates = new ArrayList<>();
    private final List<E> declaredEvents = new ArrayList<>();
    private @Nullable String initial;
    private @Nullable Duration defaultTimeToLive;

    /** Where the next declarations are, as the beginning of messages. */
    private String where = "";

    MachineBuilder(String name, Function<S, String> nameOfState, Function<E, String> nameOfEvent) {
        this.name = checkName("a machine", requireNonNull(name, "name"));
        this.nameOfState = nameOfState;
        this.nameOfEvent = nameOfEvent;
    }

    /** Declares all states, without times of their own, and all events. */
    MachineBuilder<S, E> declare(List<S> allStates, List<E> allEvents) {
        declaredStates.addAll(allStates);
        declaredEvents.addAll(allEvents);
        allStates.forEach(this::state);
        allEvents.forEach(this::event);
        return this;
    }

    /** The next declarations are here: messages begin with it. */
    MachineBuilder<S, E> at(String next) {
        where = next;
        return this;
    }

    /** Required. Sets the state of keys that are not held. */
    public MachineBuilder<S, E> initial(S state) {
        initial = stateName(state);
        return states.containsKey(initial) ? this : declare(initial, null, false);
    }

    /**
     * Sets the time-to-live of the states that have none of their own and are not terminal.
     *
     * @param timeToLive from 1 ms to 366 days
     */
    public MachineBuilder<S, E> timeToLive(Duration timeToLive) {
        defaultTimeToLive = checkTime("The default", timeToLive);
        return this;
    }

    /** Declares a state with the default time-to-live. */
    public MachineBuilder<S, E> state(S state) {
        return declare(stateName(state), null, false);
    }

    /**
     * Declares a state.
     *
     * @param timeToLive how long a machine may be idle in it, from 1 ms to 366 days
     */
    public MachineBuilder<S, E> state(S state, Duration timeToLive) {
        String its = stateName(state);
        return declare(its, checkTime(quote(its), timeToLive), false);
    }

    /** Declares a state that finishes the machine, which is then forgotten. */
    public MachineBuilder<S, E> terminal(S state) {
        return declare(stateName(state), null, true);
    }

    /**
     * Declares a state that finishes the machine, which is held for a while to absorb what trails.
     *
     * @param timeToLive how long, from 1 ms to 366 days
     */
    public MachineBuilder<S, E> terminal(S state, Duration timeToLive) {
        String its = stateName(state);
        return declare(its, checkTime(quote(its), timeToLive), true);
    }

    private MachineBuilder<S, E> declare(
            String state, @Nullable Duration timeToLive, boolean isTerminal) {
        states.put(state, new State(timeToLive, isTerminal, where));
        atMost(states.size(), MachineDefinition.MAX_STATES, "states: join states");
        return this;
    }

    /** Declares an event, which may be illegal in every state. */
    public MachineBuilder<S, E> event(E event) {
        return declare(eventName(event));
    }

    private MachineBuilder<S, E> declare(String event) {
        events.add(event);
        atMost(events.size(), MachineDefinition.MAX_EVENTS, "events: join events");
        return this;
    }

    private void atMost(int number, int most, String whatAndFix) {
        if (number > most) {
            throw refused(where, "it has more than " + most + " " + whatAndFix + ".");
        }
    }

    /** Adds a transition; {@code from} and {@code to} may be the same. */
    public MachineBuilder<S, E> transition(S from, E event, S to) {
        return add(from, event, to, null);
    }

    /**
     * Adds a transition that emits an output.
     *
     * @param output a name for what has happened, such as how a connection ended
     */
    public MachineBuilder<S, E> transition(S from, E event, S to, String output) {
        return add(from, event, to, checkName("an output", requireNonNull(output, "output")));
    }

    private MachineBuilder<S, E> add(S from, E event, S to, @Nullable String output) {
        String its = eventName(event);
        transitions.add(new Transition(stateName(from), its, stateName(to), output, where));
        atMost(
                transitions.size(),
                MAX_TRANSITIONS,
                "transitions, which is one for each state and event: remove those that are there"
                        + " twice");
        return declare(its);
    }

    /**
     * Adds the transitions of a function, which is called once for each pair of a state and an
     * event that an enum has.
     *
     * @param next returns the next state, or null if the event is illegal in the state
     * @throws IllegalStateException if states and events are not those of enums
     */
    public MachineBuilder<S, E> transitions(BiFunction<S, E, S> next) {
        if (declaredStates.isEmpty()) {
            throw new IllegalStateException(
                    "The states of machine "
                            + quote(name)
                            + " are texts, so a function cannot be called for all of them: add each"
                            + " transition, or name the machine with two enums.");
        }
        for (S from : declaredStates) {
            for (E event : declaredEvents) {
                S to = next.apply(from, event);
                if (to != null) {
                    add(from, event, to, null);
                }
            }
        }
        return this;
    }

    /**
     * Builds the definition.
     *
     * @throws IllegalArgumentException if there is no initial state; a state or an event is not
     *     declared; two transitions contradict each other; a state cannot be reached; a state that
     *     is not terminal has no time-to-live; a terminal state that is not held has transitions;
     *     or more than {@value MachineDefinition#MAX_HELD_STATES} states are held
     */
    public MachineDefinition build() {
        String first = requireInitial();
        for (Transition each : transitions) {
            requireState(each.from(), each.where());
            requireState(each.to(), each.where());
        }
        requireReachable(first);
        Map<Kind, List<String>> byClass = new LinkedHashMap<>();
        List<String> notHeld = new ArrayList<>(List.of(first));
        states.forEach(
                (state, its) -> {
                    Duration ttl = its.timeToLive();
                    if (state.equals(first)) {
                        return;
                    }
                    if (ttl == null && its.isTerminal()) {
                        notHeld.add(state);
                        return;
                    }
                    Kind of = new Kind(ttl == null ? requireDefault(state) : ttl, its.isTerminal());
                    byClass.computeIfAbsent(of, absent -> new ArrayList<>()).add(state);
                });
        return number(byClass, notHeld);
    }

    private MachineDefinition number(Map<Kind, List<String>> byClass, List<String> notHeld) {
        List<String> numbered = new ArrayList<>();
        List<StateClasses.Of> classes = new ArrayList<>();
        byClass.forEach(
                (of, members) -> {
                    numbered.addAll(members);
                    classes.add(
                            new StateClasses.Of(members.size(), of.timeToLive(), of.isTerminal()));
                });
        if (numbered.size() > MachineDefinition.MAX_HELD_STATES) {
            throw refused(
                    where,
                    numbered.size()
                            + " states are held, but at most "
                            + MachineDefinition.MAX_HELD_STATES
                            + " can be: join states, or let terminal states have no"
                            + " time-to-live.");
        }
        int initialCode = numbered.size();
        numbered.addAll(notHeld);
        boolean[] terminal = new boolean[numbered.size()];
        for (int state = 0; state < terminal.length; state++) {
            terminal[state] = requireNonNull(states.get(numbered.get(state))).isTerminal();
        }
        List<String> allEvents = List.copyOf(events);
        Map<String, Integer> codeOfState = codes(numbered);
        Map<String, Integer> codeOfEvent = codes(allEvents);
        short[] table = new short[numbered.size() * allEvents.size()];
        Arrays.fill(table, (short) MachineDefinition.ILLEGAL);
        String[] outputs = new String[table.length];
        for (Transition each : transitions) {
            int from = codeOfState.get(each.from());
            int at = from * allEvents.size() + codeOfEvent.get(each.event());
            if (table[at] != MachineDefinition.ILLEGAL) {
                throw refused(
                        each.where(),
                        "event "
                                + quote(each.event())
                                + " has two transitions out of state "
                                + quote(each.from())
                                + ", to "
                                + quote(numbered.get(table[at]))
                                + " and to "
                                + quote(each.to())
                                + ": remove one of them.");
            }
            if (terminal[from] && from > initialCode) {
                throw refused(
                        each.where(),
                        "terminal state "
                                + quote(each.from())
                                + " has no time-to-live, so it is not held and no event meets it:"
                                + " give it a time-to-live, or remove its transitions.");
            }
            table[at] = codeOfState.get(each.to()).shortValue();
            outputs[at] = each.output();
        }
        return new MachineDefinition(
                name,
                numbered,
                allEvents,
                new StateClasses(classes),
                initialCode,
                terminal,
                table,
                outputs);
    }

    private static Map<String, Integer> codes(List<String> names) {
        Map<String, Integer> codes = new HashMap<>();
        names.forEach(name -> codes.put(name, codes.size()));
        return codes;
    }

    private String requireInitial() {
        if (initial == null) {
            throw refused(
                    where, "the initial state is not set: set the state of a key without events.");
        }
        State its = requireNonNull(states.get(initial));
        if (its.isTerminal() || its.timeToLive() != null) {
            throw refused(
                    its.where(),
                    "the initial state "
                            + quote(initial)
                            + " is not held, so it can be neither terminal nor have a time-to-live:"
                            + " remove that, or make another state the initial one.");
        }
        return initial;
    }

    private void requireState(String state, String at) {
        if (!states.containsKey(state)) {
            throw refused(
                    at,
                    "state "
                            + quote(state)
                            + " is not declared; the states are "
                            + quote(states.keySet())
                            + ": correct the name, or declare the state.");
        }
    }

    private void requireReachable(String first) {
        Map<String, Set<String>> successors = new HashMap<>();
        for (Transition each : transitions) {
            successors.computeIfAbsent(each.from(), absent -> new LinkedHashSet<>()).add(each.to());
        }
        Set<String> reached = new LinkedHashSet<>(Set.of(first));
        Deque<String> open = new ArrayDeque<>(reached);
        while (!open.isEmpty()) {
            for (String next : successors.getOrDefault(open.remove(), Set.of())) {
                if (reached.add(next)) {
                    open.add(next);
                }
            }
        }
        for (Map.Entry<String, State> each : states.entrySet()) {
            if (!reached.contains(each.getKey())) {
                throw refused(
                        each.getValue().where(),
                        "state "
                                + quote(each.getKey())
                                + " cannot be reached from the initial state "
                                + quote(first)
                                + ": add a transition that leads to it, or remove the state.");
            }
        }
        if (reached.size() == 1) {
            throw refused(
                    where,
                    "no transition leaves the initial state "
                            + quote(first)
                            + ": add a state and a transition that leads to it.");
        }
    }

    private Duration requireDefault(String state) {
        if (defaultTimeToLive == null) {
            throw refused(
                    requireNonNull(states.get(state)).where(),
                    "state "
                            + quote(state)
                            + " has no time-to-live, so a machine without further events would be"
                            + " held for ever: give it one, set a default, or make the state"
                            + " terminal.");
        }
        return defaultTimeToLive;
    }

    private Duration checkTime(String what, Duration time) {
        if (time.compareTo(Duration.ofMillis(1)) < 0 || time.compareTo(MAX_TIME_TO_LIVE) > 0) {
            throw refused(
                    where,
                    what
                            + " has a time-to-live of "
                            + time
                            + ", but it must be from 1 ms to "
                            + MAX_TIME_TO_LIVE.toDays()
                            + " days: check the unit.");
        }
        return time;
    }

    private String stateName(S state) {
        return checkName("a state", nameOfState.apply(requireNonNull(state, "state")));
    }

    private String eventName(E event) {
        return checkName("an event", nameOfEvent.apply(requireNonNull(event, "event")));
    }

    private String checkName(String what, String its) {
        // Half of a surrogate pair is not a character, and UTF-8 cannot keep it.
        boolean isPrintable =
                its.codePoints()
                        .noneMatch(
                                each ->
                                        Character.isISOControl(each)
                                                || Character.getType(each) == Character.SURROGATE);
        if (its.isBlank() || its.length() > MachineDefinition.MAX_NAME_LENGTH || !isPrintable) {
            throw new IllegalArgumentException(
                    where
                            + "the name of "
                            + what
                            + " must have from 1 to "
                            + MachineDefinition.MAX_NAME_LENGTH
                            + " characters, none of them a control character, but is "
                            + quote(its)
                            + ": choose another one.");
        }
        return its;
    }

    private IllegalArgumentException refused(String at, String message) {
        return new IllegalArgumentException(at + "machine " + quote(name) + ": " + message);
    }

    private static String quote(String its) {
        return "'" + its + "'";
    }

    private static String quote(Collection<String> all) {
        String listed =
                all.stream()
                        .limit(MAX_LISTED)
                        .map(MachineBuilder::quote)
                        .collect(Collectors.joining(", "));
        return all.size() > MAX_LISTED
                ? listed + " and " + (all.size() - MAX_LISTED) + " others"
                : listed;
    }
}

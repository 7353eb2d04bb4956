/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.flink.machine.store.StateClasses;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.apache.flink.util.InstantiationUtil;
import org.junit.jupiter.api.Test;

class MachineDefinitionTest {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration DAY = Duration.ofDays(1);

    private enum Order {
        NONE,
        ORDERED,
        PAID,
        SHIPPED
    }

    private enum Step {
        ORDER,
        PAY,
        SHIP,
        REFUND
    }

    private static MachineBuilder<String, String> orders() {
        return MachineDefinition.named("orders")
                .initial("none")
                .state("ordered", DAY)
                .state("paid", DAY)
                .terminal("shipped")
                .transition("none", "order", "ordered")
                .transition("ordered", "pay", "paid", "payment")
                .transition("paid", "ship", "shipped");
    }

    @Test
    void anEventLeadsToTheStateOfItsTransition() {
        MachineDefinition machine = orders().event("refund").build();
        int paid = machine.state("paid");
        assertThat(machine.next(machine.initial(), machine.event("order")))
                .isEqualTo(machine.state("ordered"));
        assertThat(machine.next(machine.state("ordered"), machine.event("pay"))).isEqualTo(paid);
        assertThat(machine.next(paid, machine.event("pay"))).isEqualTo(MachineDefinition.ILLEGAL);
        assertThat(machine.next(paid, machine.event("refund")))
                .isEqualTo(MachineDefinition.ILLEGAL);
        assertThat(machine.event("unknown")).isEqualTo(MachineDefinition.ILLEGAL);
        assertThat(machine.output(machine.state("ordered"), machine.event("pay")))
                .contains("payment");
        assertThat(machine.output(paid, machine.event("ship"))).isEmpty();
    }

    @Test
    void initialAndTerminalStatesWithoutATimeAreNotHeld() {
        MachineDefinition machine = orders().build();
        assertThat(machine.isHeld(machine.initial())).isFalse();
        assertThat(machine.isHeld(machine.state("shipped"))).isFalse();
        assertThat(machine.isTerminal(machine.state("shipped"))).isTrue();
        assertThat(machine.timeToLive(machine.state("paid"))).contains(DAY);
        assertThat(machine.timeToLive(machine.initial())).isEmpty();
        assertThat(machine.classes().states()).isEqualTo(2);
    }

    @Test
    void statesOfOneTimeAreOneClassAndNeighbours() {
        MachineDefinition machine =
                MachineDefinition.named("m")
                        .initial("i")
                        .timeToLive(HOUR)
                        .state("a")
                        .state("b", DAY)
                        .state("c")
                        .terminal("d", DAY)
                        .transition("i", "a", "a")
                        .transition("i", "b", "b")
                        .transition("i", "c", "c")
                        .transition("a", "d", "d")
                        .build();
        StateClasses classes = machine.classes();
        assertThat(machine.states()).containsExactly("a", "c", "b", "d", "i");
        assertThat(classes.count()).isEqualTo(3);
        assertThat(classes.codeOf(machine.state("a"))).isEqualTo(classes.codeOf(1)).isZero();
        assertThat(classes.firstState(1)).isEqualTo(machine.state("b"));
        assertThat(classes.states(0)).isEqualTo(2);
        assertThat(classes.isTerminal(2)).isTrue();
        assertThat(classes.isTerminal(1)).isFalse();
        assertThat(classes.timeToLive(2)).isEqualTo(DAY);
    }

    @Test
    void enumsAndAFunctionMakeTheSameMachineAsTexts() {
        MachineDefinition byTable =
                MachineDefinition.named("orders", Order.class, Step.class)
                        .initial(Order.NONE)
                        .timeToLive(DAY)
                        .terminal(Order.SHIPPED)
                        .transition(Order.NONE, Step.ORDER, Order.ORDERED)
                        .transition(Order.ORDERED, Step.PAY, Order.PAID)
                        .transition(Order.PAID, Step.SHIP, Order.SHIPPED)
                        .build();
        MachineDefinition byFunction =
                MachineDefinition.named("orders", Order.class, Step.class)
                        .initial(Order.NONE)
                        .timeToLive(DAY)
                        .terminal(Order.SHIPPED)
                        .transitions(MachineDefinitionTest::next)
                        .build();
        assertThat(byTable.events()).containsExactly("ORDER", "PAY", "SHIP", "REFUND");
        assertThat(byFunction).isEqualTo(byTable).hasSameHashCodeAs(byTable);
    }

    private static Order next(Order from, Step step) {
        return switch (step) {
            case ORDER -> from == Order.NONE ? Order.ORDERED : null;
            case PAY -> from == Order.ORDERED ? Order.PAID : null;
            case SHIP -> from == Order.PAID ? Order.SHIPPED : null;
            case REFUND -> null;
        };
    }

    @Test
    void aDefinitionSurvivesSerialization() throws Exception {
        MachineDefinition machine = orders().build();
        MachineDefinition copy = InstantiationUtil.clone(machine);
        assertThat(copy).isEqualTo(machine).isNotSameAs(machine);
        assertThat(copy.event("pay")).isEqualTo(machine.event("pay"));
    }

    @Test
    void whatCouldNotWorkIsRefusedWithStateAndFix() {
        refused(MachineDefinition.named("m").transition("a", "e", "b"), "initial state is not set");
        refused(orders().transition("paid", "x", "payd"), "'payd' is not declared", "'ordered'");
        refused(orders().state("lost", DAY), "'lost' cannot be reached", "add a transition");
        refused(orders().state("paid"), "'paid' has no time-to-live", "set a default");
        refused(orders().state("none", DAY), "initial state 'none' is not held");
        refused(orders().terminal("none"), "initial state 'none' is not held");
        refused(
                orders().transition("paid", "ship", "ordered"),
                "'ship' has two transitions",
                "'shipped'",
                "'ordered'");
        refused(orders().transition("shipped", "ship", "paid"), "'shipped' has no time-to-live");
        refused(MachineDefinition.named("m").initial("i"), "no transition leaves");
    }

    private static void refused(MachineBuilder<?, ?> builder, String... inMessage) {
        assertThatThrownBy(builder::build)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("machine '")
                .hasMessageContainingAll(inMessage);
    }

    @Test
    void namesAndTimesAreBounded() {
        for (String bad : List.of("", " ", "a\nb", "x".repeat(65))) {
            assertThatThrownBy(() -> orders().state(bad))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("name of a state");
        }
        for (Duration bad : List.of(Duration.ZERO, Duration.ofMillis(-1), Duration.ofDays(367))) {
            assertThatThrownBy(() -> orders().state("paid", bad))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContainingAll("'paid'", "check the unit");
        }
    }

    @Test
    void asManyStatesAreHeldAsAStoreCanTellApart() {
        assertThat(ring(MachineDefinition.MAX_HELD_STATES).build().classes().states())
                .isEqualTo(MachineDefinition.MAX_HELD_STATES);
        refused(ring(MachineDefinition.MAX_HELD_STATES + 1), "32 states are held", "at most 31");
    }

    private static MachineBuilder<String, String> ring(int states) {
        MachineBuilder<String, String> builder =
                MachineDefinition.named("ring").initial("i").timeToLive(HOUR);
        for (int state = 0; state < states; state++) {
            String from = state == 0 ? "i" : "s" + (state - 1);
            builder.state("s" + state).transition(from, "next", "s" + state);
        }
        return builder;
    }

    @Test
    void aFunctionNeedsEnums() {
        assertThatThrownBy(() -> orders().transitions((state, event) -> state))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("two enums");
    }

    /** Random machines against a plain model of what is allowed and what it means. */
    @Test
    void randomMachinesAreBuiltOrRefusedAsTheModelSays() {
        SplittableRandom random = new SplittableRandom(53);
        int built = 0;
        for (int round = 0; round < 4_000; round++) {
            int states = 1 + random.nextInt(5);
            int events = 1 + random.nextInt(3);
            int[][] next = new int[states][events];
            boolean[] terminal = new boolean[states];
            boolean[] timed = new boolean[states];
            MachineBuilder<String, String> builder =
                    MachineDefinition.named("random").initial("s0");
            for (int state = 1; state < states; state++) {
                terminal[state] = random.nextInt(4) == 0;
                timed[state] = random.nextInt(8) > 0;
                String name = "s" + state;
                Duration ttl = random.nextBoolean() ? HOUR : DAY;
                if (terminal[state]) {
                    builder = timed[state] ? builder.terminal(name, ttl) : builder.terminal(name);
                } else {
                    builder = timed[state] ? builder.state(name, ttl) : builder.state(name);
                }
            }
            for (int state = 0; state < states; state++) {
                for (int event = 0; event < events; event++) {
                    next[state][event] = random.nextInt(-states, states);
                    if (next[state][event] >= 0) {
                        builder.transition("s" + state, "e" + event, "s" + next[state][event]);
                    } else {
                        builder.event("e" + event);
                    }
                }
            }
            if (isAllowed(next, terminal, timed)) {
                assertTable(builder.build(), next, terminal, timed);
                built++;
            } else {
                assertThatThrownBy(builder::build).isInstanceOf(IllegalArgumentException.class);
            }
        }
        assertThat(built).isBetween(400, 3_600);
    }

    private static boolean isAllowed(int[][] next, boolean[] terminal, boolean[] timed) {
        Set<Integer> reached = new HashSet<>(Set.of(0));
        List<Integer> open = new ArrayList<>(reached);
        while (!open.isEmpty()) {
            for (int to : next[open.remove(0)]) {
                if (to >= 0 && reached.add(to)) {
                    open.add(to);
                }
            }
        }
        if (next.length == 1 || reached.size() < next.length) {
            return false;
        }
        for (int state = 1; state < next.length; state++) {
            boolean hasTransitions = Arrays.stream(next[state]).anyMatch(to -> to >= 0);
            if (!timed[state] && (!terminal[state] || hasTransitions)) {
                return false;
            }
        }
        return true;
    }

    private static void assertTable(
            MachineDefinition machine, int[][] next, boolean[] terminal, boolean[] timed) {
        for (int state = 0; state < next.length; state++) {
            int code = machine.state("s" + state);
            assertThat(machine.isTerminal(code)).isEqualTo(terminal[state]);
            assertThat(machine.isHeld(code)).isEqualTo(timed[state]);
            for (int event = 0; event < next[state].length; event++) {
                int to = machine.next(code, machine.event("e" + event));
                int expected = next[state][event];
                assertThat(to)
                        .isEqualTo(
                                expected < 0
                                        ? MachineDefinition.ILLEGAL
                                        : machine.state("s" + expected));
            }
        }
        StateClasses classes = machine.classes();
        for (int state = 0; state < classes.states(); state++) {
            int code = classes.codeOf(state);
            assertThat(state - classes.firstState(code)).isBetween(0, classes.states(code) - 1);
            assertThat(classes.isTerminal(code)).isEqualTo(machine.isTerminal(state));
        }
    }
}

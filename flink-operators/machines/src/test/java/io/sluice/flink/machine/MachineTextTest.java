/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class MachineTextTest {

    private static final String ORDERS =
            """
            machine: orders
            initial: none
            timeToLive: 7 d
            states:
              ordered:
              paid: {timeToLive: 30 d}
              shipped: {terminal: true}
              lost: {terminal: true, timeToLive: 1 h}
            events: [refund]
            transitions:
              - {from: none, event: order, to: ordered}
              - {from: ordered, event: pay, to: paid, output: payment}
              - {from: [ordered, paid], event: [note, call]}
              - {from: paid, event: ship, to: shipped}
              - {from: [ordered, paid], event: lose, to: lost}
            """;

    private static final String ORDERS_AS_JSON =
            """
            {"machine": "orders", "initial": "none", "timeToLive": "7 d",
             "states": {"ordered": null, "paid": {"timeToLive": "30 d"},
                        "shipped": {"terminal": true},
                        "lost": {"terminal": true, "timeToLive": "1 h"}},
             "events": ["refund"],
             "transitions": [
               {"from": "none", "event": "order", "to": "ordered"},
               {"from": "ordered", "event": "pay", "to": "paid", "output": "payment"},
               {"from": ["ordered", "paid"], "event": ["note", "call"]},
               {"from": "paid", "event": "ship", "to": "shipped"},
               {"from": ["ordered", "paid"], "event": "lose", "to": "lost"}]}
            """;

    private static MachineDefinition orders() {
        return MachineDefinition.named("orders")
                .timeToLive(Duration.ofDays(7))
                .initial("none")
                .state("ordered")
                .state("paid", Duration.ofDays(30))
                .terminal("shipped")
                .terminal("lost", Duration.ofHours(1))
                .event("refund")
                .transition("none", "order", "ordered")
                .transition("ordered", "pay", "paid", "payment")
                .transition("ordered", "note", "ordered")
                .transition("ordered", "call", "ordered")
                .transition("paid", "note", "paid")
                .transition("paid", "call", "paid")
                .transition("paid", "ship", "shipped")
                .transition("ordered", "lose", "lost")
                .transition("paid", "lose", "lost")
                .build();
    }

    @Test
    void yamlAndJsonSayTheSame() {
        assertThat(MachineDefinition.parse(ORDERS, "orders.yaml")).isEqualTo(orders());
        assertThat(MachineDefinition.parse(ORDERS_AS_JSON, "orders.json")).isEqualTo(orders());
    }

    @Test
    void aMistakeIsNamedWithItsLineAndItsFix() {
        refused("to: paid", "to: payd", 12, "state 'payd' is not declared", "correct the name");
        refused("event: ship, to", "evnt: ship, to", 14, "no field 'evnt'", "from, event, to");
        refused("timeToLive: 7 d", "timeToLive: 7 parsecs", 3, "is not a time", "10 min");
        refused("timeToLive: 7 d", "timeToLive: 400 d", 3, "check the unit");
        refused("timeToLive: 30 d", "timeToLive: 0 s", 6, "'paid'", "check the unit");
        refused("initial: none\n", "", 1, "needs the field 'initial'", "add it");
        refused("terminal: true}", "terminal: perhaps}", 7, "must be true or false");
        refused("paid: {", "ordered: {", 6, "twice");
        refused("event: ship, ", "", 14, "a transition needs the field 'event'");
        refused("machine: orders", "machine: ''", 1, "name of a machine");
        refused("event: ship, to: shipped", "event: note, to: shipped", 14, "two transitions");
        refused("from: none", "from: {a: b}", 11, "a name is expected");
        refused("  ordered:\n", "  ordered:\n  idle:\n", 6, "'idle' cannot be reached");
        refused("states:\n", "states: [\n", 6, "not YAML");
    }

    /** Flink's options take them for milliseconds. */
    @Test
    void aTimeWithoutAUnitIsRefused() {
        refused("timeToLive: 7 d", "timeToLive: 600", 3, "'600' is not a time", "a unit");
    }

    @Test
    void aMachineThatCannotWorkHasTheLineOfTheMachine() {
        String none = "machine: m\ninitial: none\nstates: {}\ntransitions: []\n";
        assertThatThrownBy(() -> MachineDefinition.parse(none, "orders.yaml"))
                .hasMessageStartingWith("orders.yaml, line 1: machine 'm': no transition leaves");
        StringBuilder many = new StringBuilder("machine: m\ninitial: none\ntimeToLive: 1 s\n");
        many.append("states: {");
        IntStream.range(0, 32).forEach(i -> many.append("s" + i + ": , "));
        many.append("}\ntransitions:\n");
        IntStream.range(0, 32)
                .forEach(i -> many.append("- {from: none, event: e" + i + ", to: s" + i + "}\n"));
        assertThatThrownBy(() -> MachineDefinition.parse(many.toString(), "orders.yaml"))
                .hasMessageStartingWith("orders.yaml, line 1: machine 'm': 32 states are held");
    }

    @Test
    void aNameThatIsLeftOutIsNamedOnce() {
        refused("machine: orders", "machine:", 1, "a name is expected", "only in quotes");
        refused("event: ship", "event: null", 14, "a name is expected", "only in quotes");
        assertThatThrownBy(
                        () ->
                                MachineDefinition.parse(
                                        ORDERS.replace("machine: orders", "machine:"), "x"))
                .hasMessageStartingWith("x, line 1: a name");
    }

    /** UTF-8, in which savepoints have names, cannot keep it. */
    @Test
    void halfOfASurrogatePairIsRefused() {
        refused("output: payment", "output: \"\\ud800\"", 12, "the name of an output");
        assertThat(MachineDefinition.parse(ORDERS.replace("payment", "\"\\U0001F600\""), "x"))
                .isNotNull();
    }

    @Test
    void aProblemHasItsOwnLine() {
        refused("  paid: {", "\tpaid: {", 6, "not YAML", "TAB");
    }

    @Test
    void jsonMayHaveTabsAndEscapes() {
        String json = ORDERS_AS_JSON.replace("\n ", "\n\t").replace("\"orders\"", "\"or\\/ders\"");
        assertThat(MachineDefinition.parse(json, "orders.json").name()).isEqualTo("or/ders");
        assertThatThrownBy(
                        () ->
                                MachineDefinition.parse(
                                        json.replace("\"refund\"", "refund"), "o.json"))
                .hasMessageStartingWith("o.json, line 5: this is not JSON, correct it: ");
        assertThatThrownBy(() -> MachineDefinition.parse(json + "{}", "o.json"))
                .hasMessageContaining("a second document begins here");
        assertThatThrownBy(
                        () ->
                                MachineDefinition.parse(
                                        json.replace("\"initial\"", "\"machine\""), "o.json"))
                .hasMessageContaining("'machine' is there twice");
    }

    private static void refused(String text, String by, int line, String... inMessage) {
        assertThat(ORDERS).contains(text);
        int at = ORDERS.indexOf(text);
        String changed = ORDERS.substring(0, at) + by + ORDERS.substring(at + text.length());
        assertThatThrownBy(() -> MachineDefinition.parse(changed, "orders.yaml"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("orders.yaml, line " + line + ": ")
                .hasMessageContainingAll(inMessage);
    }

    @Test
    void anEmptyTextAndASecondDocumentAreRefused() {
        assertThatThrownBy(() -> MachineDefinition.parse("", "x"))
                .hasMessageContainingAll("x", "empty");
        assertThatThrownBy(() -> MachineDefinition.parse(ORDERS + "---\na: b\n", "x"))
                .hasMessageContaining("second document");
    }

    /** Whatever the text, it is a machine or it is refused by the documented exception. */
    @Test
    void damagedTextsAreMachinesOrRefused() {
        SplittableRandom random = new SplittableRandom(7);
        String signs = "{}[]:,-#&*!|>'\"%@ \n\tax0?";
        int refused = 0;
        for (int round = 0; round < 3_000; round++) {
            StringBuilder text = new StringBuilder(random.nextBoolean() ? ORDERS : ORDERS_AS_JSON);
            for (int i = random.nextInt(1, 6); i > 0; i--) {
                int at = random.nextInt(text.length());
                char sign = signs.charAt(random.nextInt(signs.length()));
                if (random.nextBoolean()) {
                    text.setCharAt(at, sign);
                } else {
                    text.delete(at, Math.min(text.length(), at + random.nextInt(1, 20)));
                }
            }
            try {
                assertThat(MachineDefinition.parse(text.toString(), "x").states()).isNotEmpty();
            } catch (IllegalArgumentException e) {
                assertThat(e).hasMessageStartingWith("x");
                refused++;
            }
        }
        assertThat(refused).isBetween(1_000, 3_000);
    }

    @Test
    void theDiagramShowsStatesTransitionsAndTimes() {
        assertThat(orders().mermaid())
                .startsWith("stateDiagram-v2\n    s0 : ordered\n")
                .contains(
                        "[*] --> s3",
                        "s3 --> s0 : order\n",
                        "s0 --> s0 : note, call\n",
                        "s0 --> s1 : pay / payment\n",
                        "s0 --> [*] : after 168h\n",
                        "s1 --> s4 : ship\n",
                        "s4 --> [*]\n");
    }

    /** Drawn in proportion to the transitions; once it took minutes. */
    @Test
    @Timeout(60)
    void theLargestMachineIsDrawn() {
        var largest =
                MachineDefinition.named("largest")
                        .initial("none")
                        .timeToLive(Duration.ofSeconds(1))
                        .state("held");
        for (int event = 0; event < 1_000; event++) {
            largest.transition("held", "e" + event, "held");
        }
        largest.transition("none", "e0", "held");
        for (int state = 0; state < 254; state++) {
            largest.terminal("t" + state).transition("none", "e" + (state + 1), "t" + state);
        }
        MachineDefinition machine = largest.build();
        assertThat(machine.states()).hasSize(256);
        assertThat(machine.events()).hasSize(1_000);
        assertThat(machine.mermaid()).contains("s1 --> s255 : e254\n", ", e998, e999\n");
        assertThat(machine.dot()).contains("s1 -> s255 [label=\"e254\"];\n");
    }

    @Test
    void aDiagramEscapesWhatMermaidWouldRead() {
        String drawn =
                MachineDefinition.named("m")
                        .initial("a; b")
                        .terminal("c")
                        .transition("a; b", "x --> y: z", "c")
                        .build()
                        .mermaid();
        assertThat(drawn).contains("s0 : a#59; b\n", "s0 --> s1 : x --#62; y#58; z\n");
    }

    @Test
    void aGraphShowsStatesTransitionsAndTimes() {
        assertThat(orders().dot())
                .startsWith("digraph \"orders\" {\n")
                .contains(
                        "s0 [label=\"ordered\"];\n",
                        "s4 [label=\"shipped\", peripheries=2];\n",
                        "begin -> s3;\n",
                        "s3 -> s0 [label=\"order\"];\n",
                        "s0 -> s0 [label=\"note, call\"];\n",
                        "s0 -> s1 [label=\"pay / payment\"];\n",
                        "s0 -> end [label=\"after 168h\"];\n",
                        "s4 -> end [label=\"\"];\n")
                .endsWith("\n}\n");
    }

    @Test
    void aGraphEscapesWhatGraphvizWouldRead() {
        assertThat(
                        MachineDefinition.named("m")
                                .initial("a")
                                .terminal("b\\")
                                .transition("a", "x\"]; y", "b\\")
                                .build()
                                .dot())
                .contains("s1 [label=\"b\\\\\", peripheries=2];\n")
                .contains("s0 -> s1 [label=\"x\\\"]; y\"];\n");
    }

    @Test
    void whatMayBeAMistakeIsTold() {
        assertThat(orders().warnings())
                .singleElement()
                .asString()
                .contains("event 'refund' has no transition");
        assertThat(
                        MachineDefinition.named("m")
                                .initial("none")
                                .timeToLive(Duration.ofDays(1))
                                .state("stuck")
                                .transition("none", "a", "stuck")
                                .transition("stuck", "a", "stuck")
                                .build()
                                .warnings())
                .hasSize(2)
                .anyMatch(each -> each.startsWith("no transition leaves state 'stuck'"))
                .anyMatch(each -> each.startsWith("no state is terminal"));
    }
}

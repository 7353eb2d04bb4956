/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the page on state machines shows comes out as it says. */
class MachinesPageTest {

    private final Orders orders = new Orders();

    @AfterEach
    void close() {
        orders.close();
    }

    private static String page() throws IOException {
        return Files.readString(Path.of("../../docs/machines.md"));
    }

    private static String block(String language) throws IOException {
        Matcher block =
                Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL).matcher(page());
        assertThat(block.find()).isTrue();
        return block.group(1);
    }

    @Test
    void theTextIsAMachineThatFindsWhoGuessed() throws Exception {
        orders.machine = MachineDefinition.parse(block("yaml"), "machines.md");
        orders.start(1);
        List<String> lines = new ArrayList<>();
        for (String event : new String[] {"failure", "failure", "failure", "success"}) {
            lines.addAll(orders.process("eve", event, 1_000));
        }
        lines.addAll(orders.process("bob", "failure", 1_000));
        lines.addAll(orders.process("bob", "success", 2_000));
        assertThat(lines).containsExactly("FINISHED eve suspicious success broken-in guessed 1000");
    }

    /** The declarations of the page's snippet, and its table of what comes out. */
    @Test
    void theOrdersComeOutAsTheTableSays() throws Exception {
        assertThat(block("java"))
                .contains(
                        ".timeToLive(Duration.ofDays(7))",
                        ".terminal(\"shipped\", Duration.ofHours(1))",
                        ".transition(\"ordered\", \"pay\", \"paid\", \"payment\")");
        orders.machine =
                MachineDefinition.named("orders")
                        .initial("none")
                        .timeToLive(Duration.ofDays(7))
                        .state("ordered")
                        .state("paid")
                        .terminal("shipped", Duration.ofHours(1))
                        .transition("none", "order", "ordered")
                        .transition("ordered", "pay", "paid", "payment")
                        .transition("paid", "ship", "shipped")
                        .build();
        orders.start(1);
        List<String> lines = new ArrayList<>();
        lines.addAll(orders.process("a", "order", 1_000));
        lines.addAll(orders.process("a", "pay", 2_000));
        lines.addAll(orders.process("a", "ship", 3_000));
        lines.addAll(orders.process("b", "order", 4_000));
        lines.addAll(orders.process("b", "ship", 5_000));
        lines.addAll(orders.advance(Duration.ofDays(15).toMillis()));
        assertThat(lines)
                .containsExactly(
                        "OUTPUT a ordered pay paid payment 2000",
                        "FINISHED a paid ship shipped 3000",
                        "TIMED_OUT ordered " + Duration.ofDays(14).toMillis());
        assertThat(Orders.lines(orders.stream.sideOutput(Orders.ILLEGAL)))
                .containsExactly("ILLEGAL b ordered ship ordered 5000");
        assertThat(page()).contains("output `payment`; then `FINISHED` in `shipped`");
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.flink.Backends;
import io.sluice.flink.LoggedLines;
import io.sluice.flink.reconcile.message.Setup;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the operator logs about messages that its exchanges refuse. */
class RefusalLogTest {

    private static final long WINDOW = 1000;
    private static final long TTL = 300;

    private final OperatorReplica east = new OperatorReplica(settings("east"), Backends.HASHMAP);
    private final OperatorReplica west = new OperatorReplica(settings("west"), Backends.HASHMAP);
    private final LoggedLines lines = LoggedLines.of(ReconcileOperator.class);

    /** At most two windows that only the peer has closed may wait. */
    private static ReconcileSettings settings(String replica) {
        return new ReconcileSettings(
                new Setup(WINDOW, 1, 2, 7),
                replica,
                replica.equals("east") ? "west" : "east",
                DifferenceMethod.QUERY,
                0.01,
                4,
                TTL,
                0,
                10,
                4096,
                1 << 20,
                2,
                100,
                3_600_000,
                false);
    }

    @BeforeEach
    void start() throws Exception {
        east.start(1);
        west.start(1);
    }

    @AfterEach
    void close() throws Exception {
        lines.close();
        east.close();
        west.close();
    }

    private List<String> linesWith(String part) {
        return lines.all().stream().filter(line -> line.contains(part)).toList();
    }

    @Test
    void aPeerThatIsTooFarAheadIsToldOfOnceAMinuteWithTheOptions() throws Exception {
        List<byte[]> ahead = new ArrayList<>();
        for (int window = 0; window < 10; window++) {
            west.record("id", window * WINDOW);
        }
        west.watermark(20 * WINDOW);
        ahead.addAll(west.checkpoint());
        assertThat(ahead).hasSize(10);
        east.receive(ahead);
        assertThat(linesWith("(NO_ROOM)"))
                .hasSize(1)
                .allMatch(line -> line.startsWith("WARN Operator '"))
                .allMatch(line -> line.contains("maxEarlyWindows"));
        east.pass(60_000);
        east.receive(ahead);
        assertThat(linesWith("(NO_ROOM)")).hasSize(2);
    }

    @Test
    void messagesAboutAWindowThatIsOverAreToldOfWithTtl() throws Exception {
        west.record("id", 0);
        west.watermark(WINDOW);
        List<byte[]> about = west.checkpoint();
        east.record("id", 0);
        east.watermark(WINDOW);
        east.pass(TTL);
        east.checkpoint();
        east.receive(about);
        east.receive(about);
        assertThat(linesWith("(OLD)")).hasSize(1).allMatch(line -> line.contains("raise ttl"));
    }

    @Test
    void messagesThatComeTwiceAreNotToldOf() throws Exception {
        west.record("id", 0);
        west.watermark(WINDOW);
        List<byte[]> about = west.checkpoint();
        east.receive(about);
        east.receive(about);
        assertThat(linesWith("refused")).isEmpty();
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.process;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.sluice.flink.testkit.process.Ports;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FlinkRestTest {
    private static final String JOB = "d4a0268d44db1896dde71a0ea2b6a51f";
    private static final int NOT_FOUND = 404;

    private final Map<String, String> answers = new HashMap<>();
    private HttpServer server;
    private FlinkRest rest;

    @BeforeEach
    void answer() throws Exception {
        server = HttpServer.create(new InetSocketAddress(Ports.loopback(), 0), 0);
        server.createContext(
                "/",
                exchange -> {
                    String answer = answers.get(exchange.getRequestURI().getPath());
                    byte[] body = (answer == null ? "{}" : answer).getBytes(UTF_8);
                    exchange.sendResponseHeaders(answer == null ? NOT_FOUND : 200, body.length);
                    exchange.getResponseBody().write(body);
                    exchange.close();
                });
        server.start();
        rest = new FlinkRest(server.getAddress().getPort());
    }

    @AfterEach
    void end() {
        server.stop(0);
    }

    /** {@code jobs/ID} would be as old as the JobManager's clock was ahead. */
    @Test
    void howAJobIsIsAskedWhereNoAnswerIsKept() throws Exception {
        answers.put("/jobs/" + JOB, "{\"state\":\"RUNNING\"}");
        answers.put("/jobs/" + JOB + "/status", "{\"status\":\"FINISHED\"}");
        assertThat(rest.status(JOB)).isEqualTo("FINISHED");
    }

    @Test
    void allTasksRunIfTheJobDoesAndAsManyAsThereAre() throws Exception {
        overview("RUNNING", 4, 4);
        assertThat(rest.allTasksRun(JOB)).isTrue();
        overview("RUNNING", 3, 4);
        assertThat(rest.allTasksRun(JOB)).isFalse();
        overview("RESTARTING", 4, 4);
        assertThat(rest.allTasksRun(JOB)).isFalse();
        overview("RUNNING", 0, 0);
        assertThat(rest.allTasksRun(JOB)).isFalse();
        assertThat(rest.allTasksRun("another")).isFalse();
    }

    @Test
    void aJobThatIsNotThereIsAnError() {
        assertThatThrownBy(() -> rest.status(JOB))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("status 404");
    }

    private void overview(String state, int running, int total) {
        answers.put(
                "/jobs/overview",
                "{\"jobs\":[{\"jid\":\"other\",\"state\":\"FAILED\",\"tasks\":{\"total\":1,\"running\":0}},"
                    + "{\"jid\":\""
                        + JOB
                        + "\",\"state\":\""
                        + state
                        + "\",\"tasks\":{\"total\":"
                        + total
                        + ",\"running\":"
                        + running
                        + "}}]}");
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.testkit.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ServerSocket;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PortsTest {
    /** A client that connects while a process is away must not get the process's port. */
    @Test
    void noPortIsOneThatClientsGet() throws IOException {
        assertThat(Arrays.stream(Ports.free(50)).boxed())
                .allSatisfy(port -> assertThat(port).isBetween(Ports.FIRST, Ports.END - 1));
    }

    @Test
    void noPortIsGivenTwice() throws IOException {
        Set<Integer> ports = new HashSet<>();
        long seed = System.nanoTime();
        for (int i = 0; i < 5; i++) {
            // The same random numbers each time.
            Arrays.stream(Ports.free(10, new Random(seed))).forEach(ports::add);
        }
        assertThat(ports).hasSize(50);
    }

    @Test
    void noPortIsOneThatSomebodyListensOn() throws IOException {
        long seed = 0;
        while (!Ports.isFree(first(seed))) {
            seed++;
        }
        try (ServerSocket taken = new ServerSocket(first(seed), 1, Ports.loopback())) {
            assertThat(Ports.free(1, new Random(seed))).doesNotContain(taken.getLocalPort());
        }
    }

    /** The port that is tried first. */
    private static int first(long seed) {
        return new Random(seed).nextInt(Ports.FIRST, Ports.END);
    }

    @Test
    void thatThereAreTooFewIsSaid() {
        assertThatThrownBy(() -> Ports.free(Ports.END))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no free port was found on 127.0.0.1");
    }
}

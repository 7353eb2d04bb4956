/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.testkit.process;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.apache.flink.annotation.Internal;

/**
 * Free ports of the loopback interface, below those that systems give to clients: a process that is
 * killed must get its port again when it starts anew, and until then no connection may have taken
 * it. They are random, so that runs side by side differ.
 */
@Internal
public final class Ports {
    public static final String HOST = "127.0.0.1";
    private static final byte[] LOOPBACK = {127, 0, 0, 1};

    static final int FIRST = 10_000;

    /** Linux gives clients 32768 and more, other systems 49152 and more. */
    static final int END = 32_768;

    private static final int TRIES = 10_000;

    /** So that nobody here gets a port that another was given and does not listen on now. */
    private static final Set<Integer> GIVEN = new HashSet<>();

    private Ports() {}

    /** The loopback interface. */
    public static InetAddress loopback() throws IOException {
        return InetAddress.getByAddress(LOOPBACK);
    }

    /**
     * Different ports that nobody listens on now, and that were not given before.
     *
     * @throws IOException if there are too few
     */
    public static int[] free(int count) throws IOException {
        return free(count, RandomGenerator.getDefault());
    }

    static synchronized int[] free(int count, RandomGenerator random) throws IOException {
        Set<Integer> ports = new LinkedHashSet<>();
        for (int i = 0; i < TRIES && ports.size() < count; i++) {
            int port = random.nextInt(FIRST, END);
            if (!GIVEN.contains(port) && isFree(port)) {
                ports.add(port);
            }
        }
        if (ports.size() < count) {
            throw new IOException(
                    "no free port was found on "
                            + HOST
                            + " between "
                            + FIRST
                            + " and "
                            + (END - 1)
                            + ": end other programs that listen there");
        }
        GIVEN.addAll(ports);
        return ports.stream().mapToInt(Integer::intValue).toArray();
    }

    static boolean isFree(int port) throws IOException {
        try (ServerSocket socket = new ServerSocket(port, 1, loopback())) {
            return socket.isBound();
        } catch (BindException e) {
            return false;
        }
    }
}

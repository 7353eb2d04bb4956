/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.process;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;

/** Free ports of the loopback interface. */
public final class Ports {
    public static final String HOST = "127.0.0.1";
    private static final byte[] LOOPBACK = {127, 0, 0, 1};

    private Ports() {}

    /** The loopback interface. */
    public static InetAddress loopback() throws IOException {
        return InetAddress.getByAddress(LOOPBACK);
    }

    /** Different ports that nobody listens on now. */
    public static int[] free(int count) throws IOException {
        List<ServerSocket> sockets = new ArrayList<>();
        try {
            int[] ports = new int[count];
            for (int i = 0; i < count; i++) {
                sockets.add(new ServerSocket(0, 1, loopback()));
                ports[i] = sockets.get(i).getLocalPort();
            }
            return ports;
        } finally {
            for (ServerSocket socket : sockets) {
                socket.close();
            }
        }
    }
}

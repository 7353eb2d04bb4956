/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.net;

import java.io.IOException;
import java.net.Socket;

/** Both sockets of a forwarded connection. */
final class Link {
    private final Socket client;
    private final Socket server;

    Link(Socket client, Socket server) {
        this.client = client;
        this.server = server;
    }

    /**
     * Ends both with a reset. Neither is closed before both are ready for that: who forwards
     * between them closes the other one at once.
     */
    void reset() {
        resetWhenClosed(client);
        resetWhenClosed(server);
        close();
    }

    /** A socket that does not linger sends a reset when it is closed. */
    private static void resetWhenClosed(Socket socket) {
        try {
            if (!socket.isClosed()) {
                socket.setSoLinger(true, 0);
            }
        } catch (IOException e) {
            // It has ended in the meantime, which is what was wanted.
        }
    }

    void close() {
        closeOne(client);
        closeOne(server);
    }

    private static void closeOne(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // There is nothing left to close.
        }
    }
}

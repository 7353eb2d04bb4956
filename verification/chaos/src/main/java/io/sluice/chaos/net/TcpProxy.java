/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.net;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Forwards connections to a server that need not be there. It can hold all bytes back for a while,
 * forward them late, and reset what is connected. Thread-safe.
 */
public final class TcpProxy implements AutoCloseable {
    private static final int BACKLOG = 200;
    private static final int CONNECT_MILLIS = 2000;

    private final ServerSocket listening;
    private final InetSocketAddress target;
    private final Set<Link> links = ConcurrentHashMap.newKeySet();
    private final AtomicLong accepted = new AtomicLong();
    private final Traffic traffic = new Traffic();

    /** Begins to forward what connects to {@code from}. */
    public TcpProxy(InetSocketAddress from, InetSocketAddress target) throws IOException {
        this.target = target;
        listening = new ServerSocket();
        listening.setReuseAddress(true);
        listening.bind(from, BACKLOG);
        daemon("chaos-proxy-accept", this::accept);
    }

    /** Where it listens. */
    public int port() {
        return listening.getLocalPort();
    }

    /** How many connections there were. */
    public long accepted() {
        return accepted.get();
    }

    /** Forwards every piece of bytes this much later, in either direction; zero for at once. */
    public void delay(Duration delay) {
        traffic.delay(delay);
    }

    /** Holds all bytes back, and lets new connections wait, until {@link #mend}. */
    public void cut() {
        traffic.cut();
    }

    /** Forwards again what {@link #cut} held back. */
    public void mend() {
        traffic.mend();
    }

    /** Ends every connection with a reset; new ones may come at once. */
    public int reset() {
        int count = 0;
        for (Link link : links) {
            link.reset();
            count++;
        }
        return count;
    }

    private void accept() {
        while (!listening.isClosed()) {
            Socket client;
            try {
                client = listening.accept();
            } catch (IOException e) {
                // Only a closed socket accepts nothing.
                continue;
            }
            accepted.incrementAndGet();
            daemon("chaos-proxy-connect", () -> connect(client));
        }
    }

    private void connect(Socket client) {
        Socket server = new Socket();
        Link link = new Link(client, server);
        links.add(link);
        try {
            traffic.awaitPassage();
            server.connect(target, CONNECT_MILLIS);
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
        } catch (IOException e) {
            // The server is down: the client sees that its connection ends.
            end(link);
            return;
        }
        daemon("chaos-proxy-to-server", () -> forward(link, client, server));
        daemon("chaos-proxy-to-client", () -> forward(link, server, client));
    }

    private void forward(Link link, Socket from, Socket to) {
        try {
            traffic.copy(from.getInputStream(), to.getOutputStream());
        } catch (IOException e) {
            // Either end has gone, or was reset: the other one learns it by the end of its
            // connection.
        } finally {
            end(link);
        }
    }

    private void end(Link link) {
        link.close();
        links.remove(link);
    }

    private static void daemon(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        listening.close();
        traffic.mend();
        links.forEach(this::end);
    }
}

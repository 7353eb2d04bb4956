/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.protocol.ApiKeys;

/**
 * A proxy before a broker, which ends each connection that asks for the end of a transaction, until
 * it is opened. All else passes.
 */
final class CommitGate implements AutoCloseable {
    private final ServerSocket listening;
    private final int target;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final AtomicInteger held = new AtomicInteger();
    private volatile boolean isOpen;

    CommitGate(int port, int target) throws IOException {
        this.target = target;
        listening = new ServerSocket(port, 100, InetAddress.getLoopbackAddress());
        daemon(this::accept);
    }

    /** How many requests to end a transaction did not pass. */
    int held() {
        return held.get();
    }

    /** Lets everything pass from now on. */
    void open() {
        isOpen = true;
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                Socket client = listening.accept();
                sockets.add(client);
                Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
                sockets.add(server);
                daemon(() -> forwardRequests(client, server));
                daemon(() -> forwardAnswers(server, client));
            } catch (IOException e) {
                // Only a closed socket accepts nothing.
            }
        }
    }

    private void forwardRequests(Socket client, Socket server) {
        try (client;
                server) {
            DataInputStream requests = new DataInputStream(client.getInputStream());
            DataOutputStream passed = new DataOutputStream(server.getOutputStream());
            while (true) {
                byte[] request = new byte[requests.readInt()];
                requests.readFully(request);
                if (!isOpen && ByteBuffer.wrap(request).getShort() == ApiKeys.END_TXN.id) {
                    held.incrementAndGet();
                    return;
                }
                passed.writeInt(request.length);
                passed.write(request);
                passed.flush();
            }
        } catch (IOException e) {
            // Either end has gone: the other one learns it by the end of its connection.
        }
    }

    private static void forwardAnswers(Socket server, Socket client) {
        try (client;
                server) {
            server.getInputStream().transferTo(client.getOutputStream());
        } catch (IOException e) {
            // As above.
        }
    }

    private static void daemon(Runnable task) {
        Thread thread = new Thread(task, "commit-gate");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        listening.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }
}

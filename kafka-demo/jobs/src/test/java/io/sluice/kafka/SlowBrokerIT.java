/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.kafka;

import static org.assertj.core.api.Assertions.assertThatCode;

import io.sluice.flink.testkit.local.EmbeddedKafka;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A broker on a busy machine takes connections, and says its first word late. */
class SlowBrokerIT {

    /** From its first connection on; longer than a broker is first waited for. */
    private static final Duration SILENCE = Duration.ofSeconds(6);

    @TempDir private Path folder;

    private final CompletableFuture<Void> speaks = new CompletableFuture<>();
    private final List<Socket> open = new CopyOnWriteArrayList<>();

    @Test
    void itIsWaitedFor() throws Exception {
        try (EmbeddedKafka kafka = EmbeddedKafka.start(folder);
                ServerSocket slow = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            String real = kafka.bootstrapServers();
            int port = Integer.parseInt(real.substring(real.lastIndexOf(':') + 1));
            start(() -> accept(slow, port));
            Brokers brokers =
                    Brokers.at(slow.getInetAddress().getHostAddress() + ":" + slow.getLocalPort());
            assertThatCode(brokers::requireAnswer).doesNotThrowAnyException();
        } finally {
            for (Socket socket : open) {
                socket.close();
            }
        }
    }

    private void accept(ServerSocket slow, int port) throws IOException {
        while (!slow.isClosed()) {
            Socket client = slow.accept();
            open.add(client);
            speaks.completeOnTimeout(null, SILENCE.toMillis(), TimeUnit.MILLISECONDS);
            start(() -> connect(client, port));
        }
    }

    private void connect(Socket client, int port) throws IOException {
        speaks.join();
        Socket broker = new Socket(InetAddress.getLoopbackAddress(), port);
        open.add(broker);
        start(() -> copy(client.getInputStream(), broker.getOutputStream()));
        start(() -> copy(broker.getInputStream(), client.getOutputStream()));
    }

    private static void copy(InputStream from, OutputStream to) throws IOException {
        byte[] bytes = new byte[1 << 12];
        for (int n = from.read(bytes); n >= 0; n = from.read(bytes)) {
            to.write(bytes, 0, n);
            to.flush();
        }
    }

    private interface Work {
        void run() throws IOException;
    }

    private static void start(Work work) {
        Thread thread =
                new Thread(
                        () -> {
                            try {
                                work.run();
                            } catch (IOException closed) {
                                // The end of the test closes all sockets.
                            }
                        });
        thread.setDaemon(true);
        thread.start();
    }
}

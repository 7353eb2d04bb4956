/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TcpProxyTest {
    private static final int SHORT_MILLIS = 300;

    private ServerSocket server;
    private TcpProxy proxy;

    @BeforeEach
    void start() throws IOException {
        server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        proxy = new TcpProxy(anyPort(), new InetSocketAddress(loopback(), server.getLocalPort()));
    }

    @AfterEach
    void stop() throws IOException {
        proxy.close();
        server.close();
    }

    @Test
    void forwardsInBothDirections() throws IOException {
        try (Socket client = connect();
                Socket served = server.accept()) {
            client.getOutputStream().write(new byte[] {1, 2, 3});
            assertThat(served.getInputStream().readNBytes(3)).containsExactly(1, 2, 3);
            served.getOutputStream().write(4);
            assertThat(client.getInputStream().read()).isEqualTo(4);
        }
        assertThat(proxy.accepted()).isEqualTo(1);
    }

    @Test
    void theEndOfOneSideIsTheEndOfTheOther() throws IOException {
        try (Socket client = connect();
                Socket served = server.accept()) {
            client.shutdownOutput();
            assertThat(served.getInputStream().read()).isEqualTo(-1);
        }
    }

    @Test
    void aCutNetworkHoldsBytesBackUntilItIsMended() throws IOException {
        try (Socket client = connect();
                Socket served = server.accept()) {
            proxy.cut();
            client.getOutputStream().write(5);
            served.setSoTimeout(SHORT_MILLIS);
            assertThatThrownBy(() -> served.getInputStream().read())
                    .isInstanceOf(SocketTimeoutException.class);
            proxy.mend();
            served.setSoTimeout(0);
            assertThat(served.getInputStream().read()).isEqualTo(5);
        }
    }

    @Test
    void aDelayLosesNothing() throws IOException {
        proxy.delay(Duration.ofMillis(20));
        try (Socket client = connect();
                Socket served = server.accept()) {
            for (int i = 0; i < 10; i++) {
                client.getOutputStream().write(i);
            }
            assertThat(served.getInputStream().readNBytes(10))
                    .containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
        }
    }

    @Test
    void aResetEndsBothSidesWithAnErrorAndNewConnectionsWork() throws IOException {
        try (Socket client = connect();
                Socket served = server.accept()) {
            client.getOutputStream().write(1);
            assertThat(served.getInputStream().read()).isEqualTo(1);
            assertThat(proxy.reset()).isEqualTo(1);
            assertThatThrownBy(() -> client.getInputStream().read())
                    .isInstanceOf(SocketException.class);
            assertThatThrownBy(() -> served.getInputStream().read())
                    .isInstanceOf(SocketException.class);
        }
        try (Socket client = connect();
                Socket served = server.accept()) {
            client.getOutputStream().write(2);
            assertThat(served.getInputStream().read()).isEqualTo(2);
        }
    }

    @Test
    void withoutAServerAConnectionEnds() throws IOException {
        server.close();
        try (Socket client = connect()) {
            assertThat(client.getInputStream().read()).isEqualTo(-1);
        }
    }

    private Socket connect() throws IOException {
        return new Socket(loopback(), proxy.port());
    }

    private static InetSocketAddress anyPort() {
        return new InetSocketAddress(loopback(), 0);
    }

    private static InetAddress loopback() {
        return InetAddress.getLoopbackAddress();
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.apache.flink.annotation.Internal;

/**
 * Compares checkpoints on two machines: one serves its state, the other connects and asks. Neither
 * is authenticated, and nothing is encrypted. Stateless.
 */
@Internal
public final class RemoteReconciler {

    private static final Duration CONNECT = Duration.ofSeconds(10);

    /** Between two messages a side may read all files of a key group. */
    private static final Duration SILENCE = Duration.ofMinutes(10);

    private RemoteReconciler() {}

    /**
     * Compares a checkpoint with the one that another machine serves, which is B.
     *
     * @throws IOException in one line, if there is nobody at the address, or it goes away
     */
    public static StateAgreement compare(
            StoredCheckpoint own, InetSocketAddress address, int maxListed, List<String> states)
            throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(address, (int) CONNECT.toMillis());
            socket.setTcpNoDelay(true);
            socket.setSoTimeout((int) SILENCE.toMillis());
            try (StateConnection connection =
                    new StateConnection(socket.getInputStream(), socket.getOutputStream())) {
                return compare(new StoredState(own), connection, text(address), maxListed, states);
            }
        } catch (UncheckedIOException e) {
            throw explained(address, e.getCause());
        } catch (IOException e) {
            throw explained(address, e);
        }
    }

    private static String text(InetSocketAddress address) {
        return address.getHostString() + ":" + address.getPort();
    }

    private static IOException explained(InetSocketAddress address, IOException e) {
        return new IOException(
                "cannot compare with "
                        + text(address)
                        + ", where --serve has to run: "
                        + Problem.text(e),
                e);
    }

    static StateAgreement compare(
            ComparedState own,
            StateConnection connection,
            String address,
            int maxListed,
            List<String> states)
            throws IOException {
        RemoteState remote = new RemoteState(connection, address);
        StateAgreement agreement = StateReconciler.compare(own, remote, maxListed, states);
        connection.send(StateConnection.Kind.END, to -> to.writeBoolean(agreement.agree()));
        return agreement.with(
                new StateAgreement.Exchange(
                        connection.sentBytes(), connection.receivedBytes(), remote.bytes()));
    }

    /**
     * What a side that served was told at the end.
     *
     * @param agree whether both agree
     * @param peer where the other side is
     * @param exchange what was sent
     */
    public record Served(boolean agree, String peer, StateAgreement.Exchange exchange) {}

    /**
     * Serves a checkpoint to one other side, until that has no more questions.
     *
     * @param host where it can be reached
     * @param port 0 for any
     * @param listening is told where it can be reached, before it waits
     * @throws IOException in one line, if the port is taken, or the other side is something else
     */
    public static Served serve(
            StoredCheckpoint own, InetAddress host, int port, Consumer<InetSocketAddress> listening)
            throws IOException {
        try (ServerSocket server = new ServerSocket(port, 1, host)) {
            listening.accept(new InetSocketAddress(host, server.getLocalPort()));
            try (Socket socket = server.accept()) {
                socket.setTcpNoDelay(true);
                socket.setSoTimeout((int) SILENCE.toMillis());
                String peer = socket.getRemoteSocketAddress().toString();
                try (StateConnection connection =
                        new StateConnection(socket.getInputStream(), socket.getOutputStream())) {
                    return serve(own, connection, peer);
                } catch (IOException e) {
                    throw new IOException(peer + ": " + Problem.text(e), e);
                }
            }
        }
    }

    static Served serve(StoredCheckpoint own, StateConnection connection, String peer)
            throws IOException {
        StoredState state = new StoredState(own);
        boolean agree = new StateServer(state, state.bytes(), connection).serve();
        return new Served(
                agree,
                peer,
                new StateAgreement.Exchange(
                        connection.sentBytes(), connection.receivedBytes(), state.bytes()));
    }
}

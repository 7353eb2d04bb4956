/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.process;

import io.sluice.flink.testkit.process.Await;
import io.sluice.flink.testkit.process.ChildProcess;
import io.sluice.flink.testkit.process.Ports;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** The broker's process, which keeps its data over restarts. */
public final class Broker implements AutoCloseable {
    private static final String NAME = "broker";
    private static final Duration TO_START = Duration.ofMinutes(2);
    private static final int CONNECT_MILLIS = 1000;

    private final Path work;
    private final int port;
    private final int advertisedPort;
    private final Clocks clocks;
    private ChildProcess process;

    /**
     * Starts it.
     *
     * @param work for the data and the log
     * @param port where it listens
     * @param advertisedPort where clients connect
     */
    public Broker(Path work, int port, int advertisedPort, Clocks clocks)
            throws IOException, InterruptedException {
        this.work = work;
        this.port = port;
        this.advertisedPort = advertisedPort;
        this.clocks = clocks;
        start();
    }

    /** Starts it again, and waits until it listens. */
    public void start() throws IOException, InterruptedException {
        process =
                ChildProcess.start(
                        new ChildProcess.Program(
                                NAME,
                                work.resolve("log"),
                                clocks.environment(NAME),
                                List.of(
                                        "-Xmx512m",
                                        "-Dlog4j.configurationFile="
                                                + work.resolve("conf/log4j.properties").toUri()),
                                System.getProperty("java.class.path"),
                                Child.class.getName(),
                                Child.arguments(
                                        BrokerMain.class.getName(),
                                        List.of(
                                                work.resolve("broker").toString(),
                                                Integer.toString(port),
                                                Integer.toString(advertisedPort)))));
        Await.until(
                "the broker at " + Ports.HOST + ":" + port,
                TO_START,
                () -> {
                    if (!process.isAlive()) {
                        throw new IllegalStateException("ended\n" + process.logTail());
                    }
                    try (Socket socket = new Socket()) {
                        socket.connect(
                                new InetSocketAddress(Ports.loopback(), port), CONNECT_MILLIS);
                        return true;
                    }
                });
    }

    /** The process that runs now. */
    public ChildProcess process() {
        return process;
    }

    @Override
    public void close() {
        process.close();
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.streams;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.KafkaStreams.State;

/**
 * Runs a {@link StreamsDeduplication} until it is asked to end, or fails. Prints each state that it
 * enters, with the milliseconds since 1970: {@code CREATED 1767225600000}, {@code RUNNING ...}.
 */
public final class StreamsMain {
    private static final int FAILED = 1;
    private static final int ORPHANED = 143;

    private StreamsMain() {}

    /**
     * Runs the application.
     *
     * @param arguments name, bootstrap servers, input topic, output topic, JSON pointer, window and
     *     commit interval as ISO-8601 durations, threads, state directory
     */
    public static void main(String[] arguments) {
        endWithParent();
        StreamsDeduplication application =
                new StreamsDeduplication(
                        arguments[0],
                        arguments[1],
                        arguments[2],
                        arguments[3],
                        arguments[4],
                        Duration.parse(arguments[5]),
                        Duration.parse(arguments[6]),
                        Integer.parseInt(arguments[7]),
                        Path.of(arguments[8]));
        CompletableFuture<State> end = new CompletableFuture<>();
        try (KafkaStreams streams =
                new KafkaStreams(application.topology(), application.settings())) {
            streams.setStateListener(
                    (now, before) -> {
                        print(now);
                        if (now.hasCompletedShutdown()) {
                            end.complete(now);
                        }
                    });
            Runtime.getRuntime().addShutdownHook(new Thread(streams::close, "close"));
            print(State.CREATED);
            streams.start();
            if (end.join() == State.ERROR) {
                // Not exit: its hook would wait for the application once more.
                Runtime.getRuntime().halt(FAILED);
            }
        }
    }

    private static void print(State state) {
        System.out.println(state + " " + System.currentTimeMillis());
    }

    /** Ends this process when the one that started it is gone, whatever ended that one. */
    private static void endWithParent() {
        ProcessHandle parent =
                ProcessHandle.current()
                        .parent()
                        .orElseThrow(() -> new IllegalStateException("there is no parent"));
        var unused = parent.onExit().thenRun(() -> Runtime.getRuntime().halt(ORPHANED));
    }
}

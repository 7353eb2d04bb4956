/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.job;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.chaos.process.FlinkRest;
import java.io.IOException;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Asks every two seconds how many checkpoints and restores each job had. A JobManager that is
 * started again counts from 0, as does a job that was stopped and started; the sums go on. What
 * happens between two questions and the end of a process is not counted.
 */
public final class Monitor implements AutoCloseable {
    private static final long INTERVAL_MILLIS = 2000;

    /** What is counted. */
    public enum Count {
        COMPLETED,
        FAILED,
        RESTORED
    }

    private final FlinkRest rest;
    private final List<RunningPart> parts;
    private final Map<String, Sums> sums = new LinkedHashMap<>();
    private final Thread thread;
    private volatile boolean ended;

    /** Sums up what starts again from 0. */
    static final class Sums {
        private final EnumMap<Count, Long> before = new EnumMap<>(Count.class);
        private final EnumMap<Count, Long> now = new EnumMap<>(Count.class);

        void take(Map<Count, Long> counts) {
            boolean isNew =
                    counts.entrySet().stream()
                            .anyMatch(e -> e.getValue() < now.getOrDefault(e.getKey(), 0L));
            if (isNew) {
                now.forEach((count, value) -> before.merge(count, value, Long::sum));
            }
            now.putAll(counts);
        }

        long get(Count count) {
            return before.getOrDefault(count, 0L) + now.getOrDefault(count, 0L);
        }
    }

    /** Begins to ask. */
    public Monitor(FlinkRest rest, List<RunningPart> parts) {
        this.rest = rest;
        this.parts = List.copyOf(parts);
        parts.forEach(part -> sums.put(part.part().name(), new Sums()));
        thread = new Thread(this::ask, "chaos-monitor");
        thread.setDaemon(true);
        thread.start();
    }

    private void ask() {
        try {
            while (!ended) {
                for (RunningPart part : parts) {
                    ask(part);
                }
                Thread.sleep(INTERVAL_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void ask(RunningPart part) throws InterruptedException {
        try {
            JsonNode answer = rest.checkpointCounts(part.id());
            Map<Count, Long> counts = new EnumMap<>(Count.class);
            for (Count count : Count.values()) {
                counts.put(count, answer.path(count.name().toLowerCase(Locale.ROOT)).asLong());
            }
            synchronized (sums) {
                sums.get(part.part().name()).take(counts);
            }
        } catch (IOException e) {
            // The JobManager is away, as it has to be sometimes.
        }
    }

    /** How many there were, of the part with this name. */
    public long count(String part, Count count) {
        synchronized (sums) {
            return sums.get(part).get(count);
        }
    }

    @Override
    public void close() {
        ended = true;
        thread.interrupt();
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.kafka;

import io.sluice.capture.traffic.LoadGenerator;
import io.sluice.capture.traffic.LoadOptions;
import io.sluice.kafka.Brokers;
import io.sluice.replay.Faults;
import io.sluice.replay.Pace;
import io.sluice.replay.ReplayOptions;
import io.sluice.replay.ReplayTopic;
import io.sluice.replay.TraceReplayer;
import io.sluice.replay.Truth;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

/** A synthetic capture, and the topic that it is replayed to. */
final class FilledTopic {
    static final String NAME = "packets";
    static final double RETRY_SHARE = 0.1;
    private static final int PARTITIONS = 4;
    private static final Duration BROKER_TIMEOUT = Duration.ofSeconds(15);

    /** The job's default; every retry comes within it. */
    private static final Duration WINDOW = Duration.ofMinutes(10);

    private static final Duration RETRY_MEAN = Duration.ofSeconds(2);
    private static final Duration RETRY_MAX = Duration.ofSeconds(30);

    private FilledTopic() {}

    static void capture(Path target, long packets, Duration duration, long seed)
            throws IOException {
        LoadGenerator.write(
                LoadOptions.builder(packets).duration(duration).seed(seed).build(), target);
    }

    static void create(String bootstrapServers) throws IOException {
        ReplayTopic.create(Brokers.at(bootstrapServers), NAME, PARTITIONS, BROKER_TIMEOUT);
    }

    /** Replays everything; one operation in ten is sent again. */
    static Truth fill(String bootstrapServers, Path capture, Pace pace, long seed)
            throws IOException {
        Faults faults =
                Faults.builder()
                        .seed(seed)
                        .retryShare(RETRY_SHARE)
                        .window(WINDOW)
                        .retryDelay(RETRY_MEAN, RETRY_MAX)
                        .build();
        ReplayOptions options =
                ReplayOptions.builder(Brokers.at(bootstrapServers), NAME)
                        .pace(pace)
                        .faults(faults)
                        .build();
        return new TraceReplayer(options, progress -> {}).replay(capture);
    }
}

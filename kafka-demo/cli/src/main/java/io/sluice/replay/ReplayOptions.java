/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.replay;

import io.sluice.kafka.Brokers;
import java.time.Duration;
import java.util.Set;

/**
 * Where and how a capture is replayed. Immutable; made by {@link #builder}.
 *
 * @param brokers where; properties for producers override ours
 * @param topic an existing topic; see {@link ReplayTopic}
 * @param pace how fast
 * @param faults what goes wrong
 * @param loops how often the capture is replayed, positive; each round follows the previous one in
 *     capture time
 * @param firstOperationId id of the first operation; the others follow
 * @param malformed foreign records to send in between, not negative
 * @param compression {@code none}, {@code lz4} or {@code zstd}
 * @param batchBytes bytes of one partition that are sent and compressed together
 * @param linger how long a batch waits to fill
 * @param brokerTimeout how long Kafka may take to answer, or to make room when it lags, before the
 *     replay gives up; records already sent may take longer, at least two minutes
 * @param resumeFromRecord records to skip at the beginning, sends and malformed ones; see {@link
 *     TraceReplayer}
 */
public record ReplayOptions(
        Brokers brokers,
        String topic,
        Pace pace,
        Faults faults,
        int loops,
        long firstOperationId,
        long malformed,
        String compression,
        int batchBytes,
        Duration linger,
        Duration brokerTimeout,
        long resumeFromRecord) {

    private static final Set<String> COMPRESSIONS = Set.of("none", "lz4", "zstd");

    /** Checks every option. */
    public ReplayOptions {
        requireText("bootstrapServers", brokers.servers());
        requireText("topic", topic);
        requireAtLeast("loops", loops, 1);
        requireAtLeast("malformed", malformed, 0);
        requireAtLeast("firstOperationId", firstOperationId, 0);
        requireAtLeast("batchBytes", batchBytes, 1);
        requireAtLeast("linger in milliseconds", linger.toMillis(), 0);
        requireAtLeast("brokerTimeout in milliseconds", brokerTimeout.toMillis(), 100);
        requireAtLeast("resumeFromRecord", resumeFromRecord, 0);
        if (!COMPRESSIONS.contains(compression)) {
            throw new IllegalArgumentException(
                    "compression '" + compression + "' is unknown: use 'none', 'lz4' or 'zstd'");
        }
    }

    /** A builder for a replay of {@code topic}, as fast as possible, once, and without faults. */
    public static Builder builder(Brokers brokers, String topic) {
        return new Builder(brokers, topic);
    }

    /** The same options, with another record to begin with. */
    public ReplayOptions resumedFrom(long record) {
        return new ReplayOptions(
                brokers,
                topic,
                pace,
                faults,
                loops,
                firstOperationId,
                malformed,
                compression,
                batchBytes,
                linger,
                brokerTimeout,
                record);
    }

    private static void requireText(String name, String value) {
        if (value == null || value.isBlank()) {
            throw new IllegalArgumentException(name + " must not be empty");
        }
    }

    private static void requireAtLeast(String name, long value, long least) {
        if (value < least) {
            throw new IllegalArgumentException(
                    name + " must be at least " + least + ", not " + value);
        }
    }

    /** Collects the options; {@link #build} checks them. */
    public static final class Builder {
        private final Brokers brokers;
        private final String topic;
        private Pace pace = Pace.MAX;
        private Faults faults = Faults.none();
        private int loops = 1;
        private long firstOperationId;
        private long malformed;
        private String compression = "lz4";
        private int batchBytes = 256 << 10;
        private Duration linger = Duration.ofMillis(20);
        private Duration brokerTimeout = Duration.ofSeconds(15);
        private long resumeFromRecord;

        private Builder(Brokers brokers, String topic) {
            this.brokers = brokers;
            this.topic = topic;
        }

        /** See {@link ReplayOptions#pace}. */
        public Builder pace(Pace value) {
            pace = value;
            return this;
        }

        /** See {@link ReplayOptions#faults}. */
        public Builder faults(Faults value) {
            faults = value;
            return this;
        }

        /** See {@link ReplayOptions#loops}. */
        public Builder loops(int value) {
            loops = value;
            return this;
        }

        /** See {@link ReplayOptions#firstOperationId}. */
        public Builder firstOperationId(long value) {
            firstOperationId = value;
            return this;
        }

        /** See {@link ReplayOptions#malformed}. */
        public Builder malformed(long value) {
            malformed = value;
            return this;
        }

        /** See {@link ReplayOptions#compression}. */
        public Builder compression(String value) {
            compression = value;
            return this;
        }

        /** See {@link ReplayOptions#batchBytes} and {@link ReplayOptions#linger}. */
        public Builder batches(int bytes, Duration linger) {
            this.batchBytes = bytes;
            this.linger = linger;
            return this;
        }

        /** See {@link ReplayOptions#brokerTimeout}. */
        public Builder brokerTimeout(Duration value) {
            brokerTimeout = value;
            return this;
        }

        /** See {@link ReplayOptions#resumeFromRecord}. */
        public Builder resumeFromRecord(long value) {
            resumeFromRecord = value;
            return this;
        }

        /**
         * The options.
         *
         * @throws IllegalArgumentException if one is out of range
         */
        public ReplayOptions build() {
            return new ReplayOptions(
                    brokers,
                    topic,
                    pace,
                    faults,
                    loops,
                    firstOperationId,
                    malformed,
                    compression,
                    batchBytes,
                    linger,
                    brokerTimeout,
                    resumeFromRecord);
        }
    }
}

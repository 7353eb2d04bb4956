/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.replay;

import io.sluice.capture.CaptureEnd;
import io.sluice.capture.CaptureSet;
import io.sluice.capture.CaptureTally;
import io.sluice.capture.Packet;
import io.sluice.capture.PacketSource;
import io.sluice.record.PacketRecord;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.Producer;

/**
 * Sends a capture to a Kafka topic as a retrying client would, and then reports what it sent.
 *
 * <p>Every IP packet is one operation, with ids in the order of the capture; other packets are
 * skipped and counted. The sequence of records is a function of the capture and the options alone.
 * Hence a replay that died can be resumed: run it again with {@code resumeFromRecord} set to the
 * last {@link ReplayProgress#resumePoint}; it goes through the same sequence and skips what was
 * acknowledged. Records that were written but not yet acknowledged are then on the topic twice:
 * additional retries, unknown to the truth, of operations that it knows.
 *
 * <p>Memory is constant, except for the sends that wait for their delay ({@link SendSchedule}) and
 * the counters of the truth. Use once, from one thread.
 */
public final class TraceReplayer {
    /** Called before each record, on the replaying thread; may block to hold the replay back. */
    @FunctionalInterface
    public interface Gate {
        /**
         * Returns when the record may be sent.
         *
         * @param record its number in the replay, from 0
         * @throws IOException to end the replay
         */
        void pass(long record) throws IOException;
    }

    private static final long PROGRESS_NANOS = 500_000_000L;
    private static final int PROGRESS_CHECK_MASK = 0xFFF;
    private static final long NANOS_PER_MILLI = 1_000_000L;

    /** One foreign record is inserted after this many sends, until there are enough. */
    private static final int MALFORMED_INTERVAL = 50;

    private static final Pacer.Clock SYSTEM_CLOCK =
            new Pacer.Clock() {
                @Override
                public long nanoTime() {
                    return System.nanoTime();
                }

                @Override
                public void park(long nanos) {
                    LockSupport.parkNanos(nanos);
                }
            };

    private final ReplayOptions options;
    private final Consumer<ReplayProgress> progress;
    private final Gate gate;
    private final Pacer.Clock clock;
    private final Pacer pacer;
    private final MalformedRecords malformedRecords;
    private final TruthRecorder recorder = new TruthRecorder();
    private final PacketRecord lastOperation = new PacketRecord();
    private final CaptureTally tally = new CaptureTally();
    private OperationSender sender;
    private PacketSource reading;
    private int loopsDone;
    private long records;
    private long malformedSent;
    private long startNanos;
    private long lastProgressNanos;
    private long timestampNanos;

    /**
     * A replayer that reports to {@code progress} about twice a second, and once at the end or when
     * it fails, on the thread that replays.
     */
    public TraceReplayer(ReplayOptions options, Consumer<ReplayProgress> progress) {
        this(options, progress, record -> {}, SYSTEM_CLOCK);
    }

    /** Like {@link #TraceReplayer(ReplayOptions, Consumer)}, held back by {@code gate}. */
    public TraceReplayer(ReplayOptions options, Consumer<ReplayProgress> progress, Gate gate) {
        this(options, progress, gate, SYSTEM_CLOCK);
    }

    TraceReplayer(ReplayOptions options, Consumer<ReplayProgress> progress, Pacer.Clock clock) {
        this(options, progress, record -> {}, clock);
    }

    private TraceReplayer(
            ReplayOptions options,
            Consumer<ReplayProgress> progress,
            Gate gate,
            Pacer.Clock clock) {
        this.options = options;
        this.progress = progress;
        this.gate = gate;
        this.clock = clock;
        pacer = new Pacer(options.pace(), clock);
        malformedRecords = new MalformedRecords(options.faults().seed());
    }

    /** Replays one capture; see {@link #replay(CaptureSet)}. */
    public Truth replay(Path capture) throws IOException {
        return replay(CaptureSet.of(capture));
    }

    /**
     * Replays {@code captures} as one, and returns when Kafka has acknowledged every record.
     *
     * @throws io.sluice.capture.CaptureException if a file is not a capture
     * @throws ReplayException if the broker cannot be reached within the broker timeout, or fails
     * @throws IOException if a file cannot be read
     */
    public Truth replay(CaptureSet captures) throws IOException {
        // Opened first, so that a file that is not a capture is reported without waiting for a
        // broker.
        try (PacketSource source = captures.open()) {
            return replay(captures, source, ReplayProducers.open(options));
        }
    }

    /**
     * What the captures had, by kind, in all loops so far, including packets that are not
     * operations.
     */
    public CaptureTally tally() {
        return tally;
    }

    Truth replay(CaptureSet captures, PacketSource source, Producer<byte[], byte[]> producer)
            throws IOException {
        try (OperationSender opened =
                new OperationSender(
                        producer, options.topic(), options.brokers(), options.resumeFromRecord())) {
            sender = opened;
            startNanos = clock.nanoTime();
            lastProgressNanos = startNanos;
            reading = source;
            CaptureEnd end;
            try {
                end = sendAll(captures, source);
                sender.flush();
            } finally {
                // Also if the replay fails: the last resume point must be kept.
                reportProgress(clock.nanoTime());
            }
            return recorder.truth(captures.name(), end, options);
        }
    }

    private CaptureEnd sendAll(CaptureSet captures, PacketSource first) throws IOException {
        SendSchedule schedule = new SendSchedule(options.faults(), this::sendOperation);
        Round round = new Round(options.firstOperationId(), 0);
        CaptureEnd end = round.run(first, schedule);
        while (++loopsDone < options.loops()) {
            round = round.next();
            try (PacketSource again = captures.open()) {
                end = round.run(again, schedule);
            }
        }
        schedule.finish();
        while (malformedSent < options.malformed()) {
            sendMalformed();
        }
        return end;
    }

    private void sendOperation(PacketRecord operation, long timestamp, SendKind kind)
            throws IOException {
        gate.pass(records);
        timestampNanos = timestamp;
        long timestampMillis = Math.floorDiv(timestamp, NANOS_PER_MILLI);
        recorder.sent(operation, timestampMillis, kind);
        if (records++ >= options.resumeFromRecord()) {
            waitUntilDue(timestamp);
            sender.send(operation, timestampMillis);
        }
        lastOperation.set(operation);
        if (malformedSent < options.malformed() && recorder.sends() % MALFORMED_INTERVAL == 0) {
            sendMalformed();
        }
        if ((records & PROGRESS_CHECK_MASK) == 0) {
            long now = clock.nanoTime();
            if (now - lastProgressNanos >= PROGRESS_NANOS) {
                reportProgress(now);
            }
        }
    }

    private void sendMalformed() throws IOException {
        Optional<byte[]> value = malformedRecords.next(lastOperation);
        recorder.sentMalformed(malformedRecords.reasonFor(value));
        malformedSent++;
        if (records++ >= options.resumeFromRecord()) {
            sender.sendForeign(value, Math.floorDiv(timestampNanos, NANOS_PER_MILLI));
        }
    }

    private void waitUntilDue(long timestamp) throws IOException {
        long wait = pacer.waitFor(timestamp);
        while (wait > 0) {
            sender.checkFailure();
            long now = clock.nanoTime();
            if (now - lastProgressNanos >= PROGRESS_NANOS) {
                reportProgress(now);
            }
            pacer.park(wait);
            if (Thread.currentThread().isInterrupted()) {
                throw new ReplayException("the replay was interrupted", null);
            }
            wait = pacer.waitFor(timestamp);
        }
    }

    private void reportProgress(long now) {
        lastProgressNanos = now;
        progress.accept(
                new ReplayProgress(
                        sender.records(),
                        sender.bytes(),
                        now - startNanos,
                        timestampNanos,
                        sender.resumePoint(),
                        shareRead()));
    }

    private double shareRead() {
        long bytes = reading.fileBytes();
        boolean between = loopsDone == options.loops() || bytes == 0;
        double inLoop = between ? 0 : Math.min(1, (double) reading.fileBytesRead() / bytes);
        return (loopsDone + inLoop) / options.loops();
    }

    /** One pass over the capture. */
    private final class Round {
        /** Time between the last packet of a round and the first of the next. */
        private static final long GAP_NANOS = NANOS_PER_MILLI;

        private final long shiftNanos;
        private final PacketRecord operation = new PacketRecord();
        private long nextId;
        private long firstNanos = Long.MAX_VALUE;
        private long lastNanos = Long.MIN_VALUE;

        Round(long firstId, long shiftNanos) {
            nextId = firstId;
            this.shiftNanos = shiftNanos;
        }

        CaptureEnd run(PacketSource source, SendSchedule schedule) throws IOException {
            reading = source;
            while (source.next()) {
                Packet packet = source.packet();
                if (!packet.isIp()) {
                    recorder.skippedPacket();
                    continue;
                }
                recorder.operation();
                firstNanos = Math.min(firstNanos, packet.timestampNanos());
                lastNanos = Math.max(lastNanos, packet.timestampNanos());
                operation.set(nextId++, packet);
                operation.shiftTime(shiftNanos);
                schedule.accept(operation);
            }
            tally.add(source.tally());
            return source.end();
        }

        Round next() {
            long span = lastNanos < firstNanos ? 0 : lastNanos - firstNanos + GAP_NANOS;
            return new Round(nextId, shiftNanos + span);
        }
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flows;

import io.sluice.capture.CaptureEnd;
import io.sluice.capture.CaptureSet;
import io.sluice.capture.CaptureTally;
import io.sluice.capture.Packet;
import io.sluice.capture.PacketSource;
import io.sluice.record.FlowKind;
import io.sluice.record.PacketRecord;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Captures that are read once, by a job in this process. The source of the job finds the reading by
 * its name, since Flink copies the source itself.
 *
 * <p>One thread reads. Others see {@link #progress} at any time, and everything else once the
 * reading thread has ended.
 */
final class CaptureReading implements AutoCloseable {
    private static final Map<String, CaptureReading> BY_NAME = new ConcurrentHashMap<>();

    private static final int PACKETS_PER_PROGRESS = 1 << 14;

    private final String name = UUID.randomUUID().toString();
    private final PacketSource packets;
    private final AtomicBoolean taken = new AtomicBoolean();
    private volatile Progress progress = new Progress(0, 0);
    private volatile Optional<IOException> failure = Optional.empty();
    private long read;
    private long tcp;
    private long firstNanos = Long.MAX_VALUE;
    private long lastNanos = Long.MIN_VALUE;

    /**
     * How far the reading is.
     *
     * @param packets read
     * @param share of the files' bytes, in [0, 1]
     */
    record Progress(long packets, double share) {}

    private CaptureReading(PacketSource packets) {
        this.packets = packets;
    }

    /**
     * Opens captures.
     *
     * @throws IOException as {@link CaptureSet#open}
     */
    static CaptureReading open(CaptureSet captures) throws IOException {
        CaptureReading opened = new CaptureReading(captures.open());
        BY_NAME.put(opened.name, opened);
        return opened;
    }

    /** The reading with this name, for the one source that reads it. */
    static CaptureReading take(String name) {
        CaptureReading found = BY_NAME.get(name);
        if (found == null || !found.taken.compareAndSet(false, true)) {
            throw new IllegalStateException(
                    "captures can be read once, in the process that opened them");
        }
        return found;
    }

    String name() {
        return name;
    }

    /**
     * Moves to the next IP packet; packets that are not IP are only counted.
     *
     * @return false at the end
     * @throws IOException if a file cannot be read
     */
    boolean next(PacketRecord into) throws IOException {
        try {
            while (packets.next()) {
                read++;
                if (read % PACKETS_PER_PROGRESS == 0) {
                    showProgress();
                }
                Packet packet = packets.packet();
                if (packet.isIp()) {
                    count(into.set(read, packet));
                    return true;
                }
            }
        } catch (IOException e) {
            failure = Optional.of(e);
            throw e;
        }
        showProgress();
        return false;
    }

    private void count(PacketRecord record) {
        tcp += FlowKind.isSegment(record) ? 1 : 0;
        firstNanos = Math.min(firstNanos, record.timestampNanos());
        lastNanos = Math.max(lastNanos, record.timestampNanos());
    }

    private void showProgress() {
        long size = packets.fileBytes();
        progress = new Progress(read, size == 0 ? 0 : (double) packets.fileBytesRead() / size);
    }

    Progress progress() {
        return progress;
    }

    /** Why reading failed, if it did. */
    Optional<IOException> failure() {
        return failure;
    }

    /** How the captures ended. */
    CaptureEnd end() {
        return packets.end();
    }

    CaptureTally tally() {
        return packets.tally();
    }

    /** TCP packets with ports and flags. */
    long tcpPackets() {
        return tcp;
    }

    /** The smallest capture time of an IP packet; meaningless if there is none. */
    long firstNanos() {
        return firstNanos;
    }

    /** The largest one. */
    long lastNanos() {
        return lastNanos;
    }

    @Override
    public void close() throws IOException {
        BY_NAME.remove(name);
        packets.close();
    }
}

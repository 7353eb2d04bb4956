/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Merges the packets of several captures by time; if times are equal, the capture named first comes
 * first. A capture whose own times step back is not sorted: a packet comes when it is the next of
 * its capture and no other capture has an earlier one, so the result is in order if the captures
 * are. A linear search finds the earliest: there are few files.
 */
final class MergedCaptures implements PacketSource {
    private final List<CaptureReader> readers;

    /** Readers that have a packet waiting, in the order of {@link #readers}. */
    private final List<CaptureReader> waiting = new ArrayList<>();

    private CaptureReader current;
    private boolean started;

    MergedCaptures(List<CaptureReader> readers) {
        this.readers = List.copyOf(readers);
        current = readers.get(0);
    }

    @Override
    public boolean next() throws IOException {
        if (!started) {
            started = true;
            for (CaptureReader reader : readers) {
                if (reader.next()) {
                    waiting.add(reader);
                }
            }
        } else if (!waiting.isEmpty() && !current.next()) {
            waiting.remove(current);
        }
        if (waiting.isEmpty()) {
            return false;
        }
        current = waiting.get(0);
        long earliest = current.packet().timestampNanos();
        for (int i = 1; i < waiting.size(); i++) {
            CaptureReader reader = waiting.get(i);
            if (reader.packet().timestampNanos() < earliest) {
                current = reader;
                earliest = reader.packet().timestampNanos();
            }
        }
        return true;
    }

    @Override
    public Packet packet() {
        return current.packet();
    }

    /**
     * The worst end, with the problems of all captures; the offset is that of the first problem.
     */
    @Override
    public CaptureEnd end() {
        List<CaptureEnd> ends = readers.stream().map(CaptureReader::end).toList();
        CaptureEnd.Kind worst = CaptureEnd.Kind.CLEAN;
        long packets = 0;
        for (CaptureEnd end : ends) {
            worst = end.kind().compareTo(worst) > 0 ? end.kind() : worst;
            packets += end.packets();
        }
        long offset =
                ends.stream()
                        .filter(end -> !end.isClean())
                        .mapToLong(CaptureEnd::offset)
                        .findFirst()
                        .orElseGet(() -> ends.stream().mapToLong(CaptureEnd::offset).sum());
        String problems =
                ends.stream()
                        .filter(end -> !end.isClean())
                        .map(CaptureEnd::message)
                        .collect(Collectors.joining("; "));
        return new CaptureEnd(worst, packets, offset, problems);
    }

    @Override
    public CaptureTally tally() {
        CaptureTally sum = new CaptureTally();
        readers.forEach(reader -> sum.add(reader.tally()));
        return sum;
    }

    @Override
    public long fileBytesRead() {
        return readers.stream().mapToLong(CaptureReader::fileBytesRead).sum();
    }

    @Override
    public long fileBytes() {
        return readers.stream().mapToLong(CaptureReader::fileBytes).sum();
    }

    @Override
    public void close() throws IOException {
        IOException failure = new IOException("captures could not be closed");
        closeAll(readers, failure);
        if (failure.getSuppressed().length > 0) {
            throw failure;
        }
    }

    /** Closes every reader; adds what goes wrong to {@code failure}. */
    static void closeAll(List<CaptureReader> readers, Exception failure) {
        for (CaptureReader reader : readers) {
            try {
                reader.close();
            } catch (IOException e) {
                failure.addSuppressed(e);
            }
        }
    }
}

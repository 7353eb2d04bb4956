/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Reads a packet capture from front to back: classic pcap with micro- or nanoseconds in either byte
 * order, or pcapng, plain or gzip.
 *
 * <pre>{@code
 * try (CaptureReader reader = CaptureReader.open(path)) {
 *     Packet packet = reader.packet();
 *     while (reader.next()) {
 *         count(packet.sourceLow());
 *     }
 *     if (!reader.end().isClean()) {
 *         warn(reader.end().message());
 *     }
 * }
 * }</pre>
 *
 * <p>Takes constant memory (about 1 MiB) for any file size, and allocates nothing per packet:
 * {@link #packet} is one view, always the same object, overwritten by each {@link #next}. Damage
 * ends the reading ({@link CaptureEnd}) or costs single packets ({@link CaptureTally}), but never
 * causes an exception. Not thread-safe.
 */
public final class CaptureReader implements PacketSource {
    private final CaptureInput input;
    private final Records records;
    private final Packet packet = new Packet();
    private final CaptureTally tally;
    private Optional<PacketTimes> times = Optional.empty();
    private Optional<CountedStream> file = Optional.empty();
    private boolean ended;

    private CaptureReader(CaptureInput input, Records records, CaptureTally tally) {
        this.input = input;
        this.records = records;
        this.tally = tally;
    }

    /**
     * Opens the capture at {@code path}, with more precise times from the text file {@code times}:
     * a line {@code seconds.nanoseconds} per packet, plain or gzip.
     *
     * @throws CaptureException as {@link #open(Path)}; {@link #next} throws it if the times do not
     *     belong to the capture
     * @throws IOException if a file cannot be read
     */
    public static CaptureReader open(Path path, Path times) throws IOException {
        return open(new CaptureSet.Capture(path, Optional.of(times)), false);
    }

    /**
     * Opens the capture at {@code path}.
     *
     * @throws CaptureException if it is not a capture, is of an unsupported kind, or is empty
     * @throws IOException if it cannot be read
     */
    public static CaptureReader open(Path path) throws IOException {
        return open(new CaptureSet.Capture(path, Optional.empty()), false);
    }

    /** Like {@link #open(Path)}, but from a stream, which is closed with the reader. */
    public static CaptureReader open(String name, InputStream stream) throws IOException {
        return open(name, stream, false);
    }

    static CaptureReader open(CaptureSet.Capture capture, boolean insideTunnels)
            throws IOException {
        CountedStream file = stream(capture.path());
        CaptureReader reader = open(capture.path().toString(), file, insideTunnels);
        try {
            reader.file = Optional.of(file);
            if (capture.times().isPresent()) {
                Path times = capture.times().get();
                reader.times =
                        Optional.of(new PacketTimes(times.toString(), stream(times), reader.tally));
            }
        } catch (IOException | RuntimeException e) {
            reader.close();
            throw e;
        }
        return reader;
    }

    static CaptureReader open(String name, InputStream stream, boolean insideTunnels)
            throws IOException {
        try {
            CaptureInput input = new CaptureInput(name, stream);
            CaptureTally tally = new CaptureTally();
            CaptureReader reader =
                    new CaptureReader(input, CaptureFormats.detect(input, tally), tally);
            reader.packet.followTunnels = insideTunnels;
            return reader;
        } catch (IOException | RuntimeException e) {
            try {
                stream.close();
            } catch (IOException closing) {
                e.addSuppressed(closing);
            }
            throw e;
        }
    }

    private static CountedStream stream(Path path) throws IOException {
        if (Files.isDirectory(path)) {
            throw CaptureException.unopened(path.toString(), "is a directory", "name a file in it");
        }
        try {
            return new CountedStream(Files.newInputStream(path), Files.size(path));
        } catch (NoSuchFileException e) {
            CaptureException missing =
                    CaptureException.unopened(path.toString(), "no such file", "check the path");
            missing.initCause(e);
            throw missing;
        }
    }

    @Override
    public Packet packet() {
        return packet;
    }

    @Override
    public boolean next() throws IOException {
        if (!records.next(packet)) {
            ended = true;
            return false;
        }
        if (times.isPresent()) {
            packet.timestampNanos = times.get().next(packet.timestampNanos);
        }
        LinkDecoder.decode(packet);
        tally.add(packet);
        return true;
    }

    /** Bytes read so far, after decompression. */
    public long bytesRead() {
        return input.offset();
    }

    @Override
    public CaptureTally tally() {
        return tally;
    }

    @Override
    public long fileBytesRead() {
        return file.map(CountedStream::count).orElse(0L);
    }

    @Override
    public long fileBytes() {
        return file.map(CountedStream::size).orElse(0L);
    }

    @Override
    public CaptureEnd end() {
        if (!ended) {
            throw new IllegalStateException("the capture has not ended: call next() until false");
        }
        return records.end();
    }

    @Override
    public void close() throws IOException {
        try (input) {
            if (times.isPresent()) {
                times.get().close();
            }
        }
    }

    /** A file's bytes, and how many of them were read. */
    private static final class CountedStream extends FilterInputStream {
        private final long size;
        private long count;

        CountedStream(InputStream in, long size) {
            super(in);
            this.size = size;
        }

        long size() {
            return size;
        }

        long count() {
            return count;
        }

        @Override
        public int read() throws IOException {
            int next = super.read();
            count += next < 0 ? 0 : 1;
            return next;
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            int read = super.read(target, offset, length);
            count += Math.max(0, read);
            return read;
        }
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture;

import java.io.Closeable;
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
 * <p>Takes constant memory (about 1 MiB) whatever the file's size, and allocates nothing per
 * packet: {@link #packet} is one view, overwritten by each {@link #next}. Damage ends the reading,
 * it is never an exception; see {@link CaptureEnd}. Not thread-safe.
 */
public final class CaptureReader implements Closeable {
    private final CaptureInput input;
    private final Records records;
    private final Packet packet = new Packet();
    private Optional<PacketTimes> times = Optional.empty();
    private boolean ended;

    private CaptureReader(CaptureInput input, Records records) {
        this.input = input;
        this.records = records;
    }

    /**
     * Opens the capture at {@code path} whose times, more precise than its own, are in the text
     * file {@code times}: a line {@code seconds.nanoseconds} per packet, plain or gzip.
     *
     * @throws CaptureException as {@link #open(Path)}; {@link #next} throws it if the times do not
     *     belong to the capture
     * @throws IOException if a file cannot be read
     */
    public static CaptureReader open(Path path, Path times) throws IOException {
        CaptureReader reader = open(path);
        try {
            reader.times = Optional.of(new PacketTimes(times.toString(), stream(times)));
        } catch (IOException | RuntimeException e) {
            reader.close();
            throw e;
        }
        return reader;
    }

    /**
     * Opens the capture at {@code path}.
     *
     * @throws CaptureException if it is no capture, of a kind that is not read, or empty
     * @throws IOException if it cannot be read
     */
    public static CaptureReader open(Path path) throws IOException {
        return open(path.toString(), stream(path));
    }

    private static InputStream stream(Path path) throws IOException {
        if (Files.isDirectory(path)) {
            throw new CaptureException(path.toString(), 0, "is a directory", "name a file in it");
        }
        try {
            return Files.newInputStream(path);
        } catch (NoSuchFileException e) {
            CaptureException missing =
                    new CaptureException(path.toString(), 0, "no such file", "check the path");
            missing.initCause(e);
            throw missing;
        }
    }

    /** As {@link #open(Path)}, from a stream, which is closed with the reader. */
    public static CaptureReader open(String name, InputStream stream) throws IOException {
        try {
            CaptureInput input = new CaptureInput(name, stream);
            return new CaptureReader(input, CaptureFormats.detect(input));
        } catch (IOException | RuntimeException e) {
            try {
                stream.close();
            } catch (IOException closing) {
                e.addSuppressed(closing);
            }
            throw e;
        }
    }

    /** The view that {@link #next} fills; always the same object. */
    public Packet packet() {
        return packet;
    }

    /** Moves to the next packet. Returns false when there is none, for whatever reason. */
    public boolean next() throws IOException {
        if (!records.next(packet)) {
            ended = true;
            return false;
        }
        if (times.isPresent()) {
            packet.timestampNanos = times.get().next(packet.timestampNanos);
        }
        LinkDecoder.decode(packet);
        return true;
    }

    /** Bytes read so far, after decompression. */
    public long bytesRead() {
        return input.offset();
    }

    /**
     * How the capture ended.
     *
     * @throws IllegalStateException before {@link #next} returned false
     */
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
}

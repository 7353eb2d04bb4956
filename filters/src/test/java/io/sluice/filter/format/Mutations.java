/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.format;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.sluice.filter.Seeds;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;

/**
 * Files that no writer wrote but whose checksums are right: valid ones with a few changes in
 * parameters, payload and lengths. From each, a reader makes something that works, or throws one of
 * its two exceptions, and takes memory in proportion to the bytes that are there.
 *
 * @param <T> what is read
 */
public final class Mutations<T> {

    /** A reader that is tried. */
    public interface Reader<T> {
        T read(InputStream in, String source) throws IOException;
    }

    /** Uses what was read in every way, and gives its bytes afterwards. */
    public interface Use<T> {
        byte[] use(T value, SplittableRandom random) throws IOException;
    }

    /** Allowed beyond 64 times the bytes, for buffers of fixed size. */
    private static final long MAX_BYTES = 1 << 20;

    private static final int MAX_PER_BYTE = 64;

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private static final long[] EXTREMES = {
        0, 1, -1, 2, Long.MAX_VALUE, Long.MIN_VALUE, Integer.MAX_VALUE, 1L << 32, 1L << 62, 0x7f
    };

    /** An envelope without the fields that follow from the rest. */
    private static final class Parts {
        private final byte[] header;
        private final byte[] parameters;
        private final byte[] payload;

        private Parts(byte[] header, byte[] parameters, byte[] payload) {
            this.header = header;
            this.parameters = parameters;
            this.payload = payload;
        }
    }

    private final Reader<T> reader;
    private final Use<T> use;
    private int refused;
    private int usable;

    private Mutations(Reader<T> reader, Use<T> use) {
        this.reader = reader;
        this.use = use;
    }

    /**
     * Reads {@code count} mutations of the given files, and uses what could be read. Both outcomes
     * must occur.
     */
    public static <T> void areRefusedOrWork(
            int count, Reader<T> reader, Use<T> use, byte[]... files) {
        Mutations<T> mutations = new Mutations<>(reader, use);
        for (int i = 0; i < count; i++) {
            long seed = Seeds.seed(i);
            try {
                mutations.check(mutated(files[i % files.length], seed), seed);
            } catch (AssertionError | RuntimeException | IOException e) {
                throw new AssertionError(Seeds.describe(seed) + ", mutation " + i, e);
            }
        }
        assertThat(mutations.refused).as("refused").isGreaterThan(count / 100);
        assertThat(mutations.usable).as("usable").isGreaterThan(count / 100);
    }

    private void check(byte[] bytes, long seed) throws IOException {
        T value;
        long before = THREADS.getCurrentThreadAllocatedBytes();
        try {
            value = reader.read(new ByteArrayInputStream(bytes), "mutated");
        } catch (CorruptFilterException | UnsupportedFormatException e) {
            refused++;
            value = null;
        }
        assertThat(THREADS.getCurrentThreadAllocatedBytes() - before)
                .as("bytes allocated for %d bytes", bytes.length)
                .isLessThan(MAX_BYTES + (long) MAX_PER_BYTE * bytes.length);
        if (value != null) {
            usable++;
            byte[] again = use.use(value, new SplittableRandom(seed));
            T read = reader.read(new ByteArrayInputStream(again), "written again");
            assertThat(use.use(read, new SplittableRandom(seed + 1))).isNotEmpty();
        }
    }

    private static byte[] mutated(byte[] file, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<Parts> envelopes = split(file);
        int at = random.nextInt(envelopes.size());
        Parts parts = envelopes.get(at);
        byte[] parameters = parts.parameters;
        byte[] payload = parts.payload;
        for (int changes = random.nextInt(1, 4); changes > 0; changes--) {
            if (payload.length == 0 || random.nextInt(3) == 0) {
                change(parameters, random);
            } else {
                change(payload, random);
            }
        }
        if (random.nextInt(10) == 0) {
            parameters = resized(parameters, 1, random);
        }
        if (random.nextInt(10) == 0) {
            payload = resized(payload, Long.BYTES, random);
        }
        envelopes.set(at, new Parts(parts.header, parameters, payload));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int i = 0; i < envelopes.size(); i++) {
            // A false length in a header with a correct checksum.
            boolean lies = i == at && random.nextInt(20) == 0;
            join(envelopes.get(i), lies ? EXTREMES[random.nextInt(EXTREMES.length)] : 0, out);
        }
        return out.toByteArray();
    }

    private static void change(byte[] bytes, SplittableRandom random) {
        if (bytes.length == 0) {
            return;
        }
        int at = random.nextInt(bytes.length);
        switch (random.nextInt(6)) {
            case 0, 1 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
            case 2 -> bytes[at] = (byte) EXTREMES[random.nextInt(EXTREMES.length)];
            case 3 -> bytes[at] += (byte) (random.nextBoolean() ? 1 : -1);
            case 4 -> {
                int to = random.nextInt(bytes.length);
                int length = Math.min(random.nextInt(1, 17), bytes.length - Math.max(at, to));
                System.arraycopy(bytes, at, bytes, to, length);
            }
            default -> {
                int width = random.nextBoolean() ? Long.BYTES : Integer.BYTES;
                long value = EXTREMES[random.nextInt(EXTREMES.length)];
                for (int i = at; i < Math.min(bytes.length, at + width); i++) {
                    bytes[i] = (byte) (value >>> (8 * (i - at)));
                }
            }
        }
    }

    private static byte[] resized(byte[] bytes, int unit, SplittableRandom random) {
        int units = bytes.length / unit + random.nextInt(-2, 3);
        return java.util.Arrays.copyOf(bytes, Math.max(0, units) * unit);
    }

    private static List<Parts> split(byte[] file) {
        List<Parts> envelopes = new ArrayList<>();
        ByteBuffer from = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
        while (from.hasRemaining()) {
            byte[] header = take(from, Envelope.HEADER_BYTES);
            ByteBuffer lengths = ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN);
            byte[] parameters = take(from, lengths.getInt(Envelope.PARAMETERS_LENGTH_OFFSET));
            take(from, Envelope.CRC_BYTES);
            byte[] payload = take(from, (int) lengths.getLong(Envelope.PAYLOAD_LENGTH_OFFSET));
            take(from, Envelope.CRC_BYTES);
            envelopes.add(new Parts(header, parameters, payload));
        }
        return envelopes;
    }

    private static byte[] take(ByteBuffer from, int length) {
        byte[] bytes = new byte[length];
        from.get(bytes);
        return bytes;
    }

    private static void join(Parts parts, long added, ByteArrayOutputStream out) {
        ByteBuffer header = ByteBuffer.wrap(parts.header).order(ByteOrder.LITTLE_ENDIAN);
        header.putInt(Envelope.PARAMETERS_LENGTH_OFFSET, parts.parameters.length);
        header.putLong(Envelope.PAYLOAD_LENGTH_OFFSET, parts.payload.length + added);
        CRC32C crc = new CRC32C();
        crc.update(parts.header);
        crc.update(parts.parameters);
        out.writeBytes(parts.header);
        out.writeBytes(parts.parameters);
        writeCrc(crc, out);
        crc.reset();
        crc.update(parts.payload);
        out.writeBytes(parts.payload);
        writeCrc(crc, out);
    }

    private static void writeCrc(CRC32C crc, ByteArrayOutputStream out) {
        out.writeBytes(
                ByteBuffer.allocate(Envelope.CRC_BYTES)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putInt((int) crc.getValue())
                        .array());
    }
}

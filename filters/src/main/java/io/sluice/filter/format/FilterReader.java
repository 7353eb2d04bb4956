/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.format;

import io.sluice.filter.annotation.Internal;
import io.sluice.filter.hash.Hashing;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * Reads one envelope and not a byte more: the constructor reads and checks header and parameters,
 * {@link #words} the payload, {@link #finish} its checksum. What {@code words} returned is
 * trustworthy only after {@code finish}. Not thread-safe.
 */
@Internal
public final class FilterReader {

    /** First allocation for words of a claimed length; grown as the bytes really arrive. */
    private static final int FIRST_WORDS = 1 << 13;

    private static final int ANY_KIND = -1;

    private static final int MAX_VERSION = 0xffff;

    private final InputStream in;
    private final String source;
    private final CRC32C crc = new CRC32C();
    private final byte[] buffer = new byte[Envelope.BUFFER_BYTES];
    private final int kind;
    private final int version;
    private final ByteBuffer parameters;
    private long offset;
    private long payloadLeft;

    /**
     * @param source what is read, for messages
     * @param newest the newest version of {@code kind} that the caller reads; versions begin at 1
     */
    public FilterReader(InputStream in, String source, int kind, int newest) throws IOException {
        this(in, source, kind, 1, newest);
    }

    /**
     * As above, for a kind whose first versions are no longer read.
     *
     * @param oldest the oldest version that the caller reads, at least 1
     */
    public FilterReader(InputStream in, String source, int kind, int oldest, int newest)
            throws IOException {
        this(oldest, newest, kind, in, source);
    }

    /**
     * Reads an envelope of any kind and version, for those who check bytes and need not understand
     * them.
     */
    public static FilterReader ofAnyKind(InputStream in, String source) throws IOException {
        return new FilterReader(1, MAX_VERSION, ANY_KIND, in, source);
    }

    private FilterReader(int oldest, int newest, int expectedKind, InputStream in, String source)
            throws IOException {
        this.in = in;
        this.source = source;
        readFully(Envelope.HEADER_BYTES, "header");
        ByteBuffer header = ByteBuffer.wrap(buffer).order(ByteOrder.LITTLE_ENDIAN);
        if (header.getInt(Envelope.MAGIC_OFFSET) != Envelope.MAGIC) {
            throw corrupt(Envelope.MAGIC_OFFSET, "not a filter: the magic number is missing");
        }
        version = header.getShort(Envelope.VERSION_OFFSET) & 0xffff;
        this.kind = header.getShort(Envelope.KIND_OFFSET) & 0xffff;
        int hashId = header.getInt(Envelope.HASH_ID_OFFSET);
        long hashSeed = header.getLong(Envelope.HASH_SEED_OFFSET);
        int parametersLength = header.getInt(Envelope.PARAMETERS_LENGTH_OFFSET);
        payloadLeft = header.getLong(Envelope.PAYLOAD_LENGTH_OFFSET);
        if (parametersLength < 0 || parametersLength > Envelope.MAX_PARAMETERS_BYTES) {
            throw corrupt(
                    Envelope.PARAMETERS_LENGTH_OFFSET,
                    "impossible length of parameters " + parametersLength);
        }
        parameters = ByteBuffer.wrap(readParameters(parametersLength));
        parameters.order(ByteOrder.LITTLE_ENDIAN);
        checkCrc("header");
        if (expectedKind != ANY_KIND && kind != expectedKind) {
            throw corrupt(
                    Envelope.KIND_OFFSET,
                    "holds a filter of kind " + kind + ", expected kind " + expectedKind);
        }
        if (version == 0) {
            throw corrupt(Envelope.VERSION_OFFSET, "format version 0 never existed");
        }
        if (version > newest || version < oldest) {
            throw new UnsupportedFormatException(source, "format version", version, oldest, newest);
        }
        if (hashId != Hashing.XXH3_64) {
            throw new UnsupportedFormatException(source, "hash algorithm", hashId, Hashing.XXH3_64);
        }
        if (hashSeed != Hashing.SEED) {
            throw corrupt(
                    Envelope.HASH_SEED_OFFSET,
                    "hash seed " + hashSeed + ", expected " + Hashing.SEED);
        }
        if (payloadLeft < 0) {
            throw corrupt(Envelope.PAYLOAD_LENGTH_OFFSET, "negative payload " + payloadLeft);
        }
    }

    /** What the envelope holds. */
    public int kind() {
        return kind;
    }

    /** Version of the kind's format, from 1 to the newest that the caller named. */
    public int version() {
        return version;
    }

    /** The parameters, little-endian; their checksum has been checked. */
    public ByteBuffer parameters() {
        return parameters;
    }

    /**
     * Takes the next {@code length} bytes of the parameters, which are text in UTF-8. Anything else
     * is refused: it would be read as other text, and be longer when that is written.
     */
    public String text(int length) throws IOException {
        if (length < 0 || length > parameters.remaining()) {
            throw corrupt("a text of " + length + " bytes ends behind the parameters");
        }
        int end = parameters.limit();
        parameters.limit(parameters.position() + length);
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(parameters).toString();
        } catch (CharacterCodingException e) {
            CorruptFilterException corrupt = corrupt("a text that is not UTF-8");
            corrupt.initCause(e);
            throw corrupt;
        } finally {
            parameters.limit(end);
        }
    }

    /** Payload bytes not read yet, as claimed by the header. */
    public long payloadLeft() {
        return payloadLeft;
    }

    /**
     * Reads {@code count} words of payload. Memory grows with the bytes that arrive, not with the
     * claim: a short stream with a huge claim fails after little more than its own size.
     */
    public long[] words(int count) throws IOException {
        return words(count, 0);
    }

    /** As {@link #words(int)}, after {@code padding} words of zero: saves the caller a copy. */
    public long[] words(int count, int padding) throws IOException {
        long bytes = (long) count * Long.BYTES;
        if (bytes > payloadLeft) {
            throw corrupt(
                    offset, "needs " + bytes + " bytes, the payload has " + payloadLeft + " left");
        }
        payloadLeft -= bytes;
        int end = padding + count;
        long[] words = new long[Math.min(end, padding + FIRST_WORDS)];
        ByteBuffer view = ByteBuffer.wrap(buffer).order(ByteOrder.LITTLE_ENDIAN);
        for (int done = padding; done < end; ) {
            if (done == words.length) {
                words = Arrays.copyOf(words, (int) Math.min(end, 8L * words.length));
            }
            int n = Math.min(buffer.length / Long.BYTES, words.length - done);
            readFully(n * Long.BYTES, "payload");
            view.asLongBuffer().get(words, done, n);
            done += n;
        }
        return words;
    }

    /** Checks that the payload was read whole and that its checksum is right. */
    public void finish() throws IOException {
        if (payloadLeft != 0) {
            throw corrupt(offset, payloadLeft + " bytes of payload that no parameter accounts for");
        }
        checkCrc("payload");
    }

    /** Reads the rest of the payload, keeps none of it, and checks it as {@link #finish} does. */
    public void checkPayload() throws IOException {
        while (payloadLeft > 0) {
            int n = (int) Math.min(buffer.length, payloadLeft);
            readFully(n, "payload");
            payloadLeft -= n;
        }
        finish();
    }

    /**
     * Jumps over the rest of the payload and its checksum, for those who only want the parameters.
     * As cheap as {@link InputStream#skip} of the stream.
     */
    public void skipPayload() throws IOException {
        long left = payloadLeft;
        payloadLeft = 0;
        try {
            in.skipNBytes(left);
            in.skipNBytes(Envelope.CRC_BYTES);
        } catch (EOFException e) {
            CorruptFilterException corrupt = corrupt(offset, "ends inside the payload");
            corrupt.initCause(e);
            throw corrupt;
        }
        offset += left + Envelope.CRC_BYTES;
    }

    /** Bytes read so far, counted from the first byte of the envelope. */
    public long offset() {
        return offset;
    }

    /** An exception for a parameter that passed the checksum but whose value is impossible. */
    public CorruptFilterException corrupt(String problem) {
        return corrupt(Envelope.HEADER_BYTES + parameters.position(), problem);
    }

    private CorruptFilterException corrupt(long at, String problem) {
        return new CorruptFilterException(source, at, problem);
    }

    private byte[] readParameters(int length) throws IOException {
        byte[] bytes = new byte[Math.min(buffer.length, length)];
        for (int done = 0; done < length; ) {
            int n = Math.min(buffer.length, length - done);
            readFully(n, "parameters");
            if (bytes.length < done + n) {
                bytes = Arrays.copyOf(bytes, Math.min(length, 2 * bytes.length));
            }
            System.arraycopy(buffer, 0, bytes, done, n);
            done += n;
        }
        return bytes;
    }

    private void checkCrc(String what) throws IOException {
        int computed = (int) crc.getValue();
        long at = offset;
        readFully(Envelope.CRC_BYTES, "checksum of the " + what);
        crc.reset();
        int stored = ByteBuffer.wrap(buffer).order(ByteOrder.LITTLE_ENDIAN).getInt();
        if (stored != computed) {
            throw corrupt(
                    at,
                    String.format(
                            "checksum of the %s is %08x, its bytes give %08x",
                            what, stored, computed));
        }
    }

    private void readFully(int length, String what) throws IOException {
        int read = in.readNBytes(buffer, 0, length);
        if (read < length) {
            throw corrupt(offset + read, "ends inside the " + what);
        }
        crc.update(buffer, 0, length);
        offset += length;
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import io.sluice.filter.format.FilterReader;
import io.sluice.filter.format.FilterWriter;
import io.sluice.flink.reconcile.message.Setup;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/**
 * {@link KeyGroupFacts} in keyed state: an envelope ({@link io.sluice.filter.format}) of kind
 * {@value #KIND} without payload.
 *
 * <pre>
 *   parameters: length of windows (8), groups (4), scheme of ids (4), seed (8),
 *               incarnation (8), watermark (8),
 *               this side's name, the peer's, the type of the ids: each length (4) and UTF-8,
 *               ranges of forgotten windows (4), and for each: number of the first window (8),
 *               number of the last (8), in ascending order
 * </pre>
 */
final class KeyGroupFormat {

    static final int KIND = 22;

    /** The first version. */
    static final int VERSION_CURRENT = 1;

    private static final int FIXED_BYTES = 8 + 4 + 4 + 8 + 8 + 8;
    private static final int MAX_TEXT_BYTES = 1 << 16;

    private KeyGroupFormat() {}

    static byte[] write(KeyGroupFacts facts) {
        byte[] replica = utf8(facts.replica());
        byte[] peer = utf8(facts.peer());
        byte[] type = utf8(facts.idType());
        int bytes = FIXED_BYTES + replica.length + peer.length + type.length + 4 * Integer.BYTES;
        ByteBuffer to =
                ByteBuffer.allocate(bytes + 2 * Long.BYTES * facts.forgotten().size())
                        .order(ByteOrder.LITTLE_ENDIAN);
        Setup setup = facts.setup();
        to.putLong(setup.windowMillis())
                .putInt(setup.groups())
                .putInt(setup.scheme())
                .putLong(setup.seed())
                .putLong(facts.incarnation())
                .putLong(facts.watermark());
        for (byte[] text : new byte[][] {replica, peer, type}) {
            to.putInt(text.length).put(text);
        }
        to.putInt(facts.forgotten().size());
        facts.forgotten().forEach((first, last) -> to.putLong(first).putLong(last));
        try {
            ByteArrayOutputStream out = new ByteArrayOutputStream(to.capacity() + 64);
            new FilterWriter(out, KIND, VERSION_CURRENT, to.flip(), 0).finish();
            return out.toByteArray();
        } catch (IOException e) {
            throw new AssertionError("an array takes all bytes", e);
        }
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Reads what {@link #write} wrote.
     *
     * @throws io.sluice.filter.format.CorruptFilterException if the bytes are damaged
     * @throws io.sluice.filter.format.UnsupportedFormatException if another release wrote them
     */
    static KeyGroupFacts read(byte[] bytes, String source) throws IOException {
        FilterReader reader =
                new FilterReader(
                        new ByteArrayInputStream(bytes),
                        source,
                        KIND,
                        VERSION_CURRENT,
                        VERSION_CURRENT);
        ByteBuffer from = reader.parameters();
        require(reader, from, FIXED_BYTES);
        long windowMillis = from.getLong();
        int groups = from.getInt();
        int scheme = from.getInt();
        long seed = from.getLong();
        long incarnation = from.getLong();
        long watermark = from.getLong();
        Setup setup;
        try {
            setup = new Setup(windowMillis, groups, scheme, seed);
        } catch (IllegalArgumentException e) {
            throw reader.corrupt("an impossible setup: " + e.getMessage());
        }
        String replica = text(reader, from);
        String peer = text(reader, from);
        String type = text(reader, from);
        if (incarnation < 1) {
            throw reader.corrupt("incarnation " + incarnation);
        }
        Map<Long, Long> forgotten = ranges(reader, from);
        if (from.hasRemaining()) {
            throw reader.corrupt(from.remaining() + " bytes behind the parameters");
        }
        reader.finish();
        return new KeyGroupFacts(setup, replica, peer, type, incarnation, watermark, forgotten);
    }

    private static Map<Long, Long> ranges(FilterReader reader, ByteBuffer from) throws IOException {
        require(reader, from, Integer.BYTES);
        int size = from.getInt();
        if (size < 0 || size > ForgottenWindows.MAX_RANGES) {
            throw reader.corrupt(size + " ranges of forgotten windows");
        }
        require(reader, from, 2 * Long.BYTES * size);
        Map<Long, Long> ranges = new TreeMap<>();
        long behind = Long.MIN_VALUE;
        for (int i = 0; i < size; i++) {
            long first = from.getLong();
            long last = from.getLong();
            if (first <= behind || last < first) {
                throw reader.corrupt("forgotten windows " + first + " to " + last);
            }
            ranges.put(first, last);
            behind = last;
        }
        return ranges;
    }

    private static String text(FilterReader reader, ByteBuffer from) throws IOException {
        require(reader, from, Integer.BYTES);
        int length = from.getInt();
        if (length < 0 || length > MAX_TEXT_BYTES) {
            throw reader.corrupt("a name of " + length + " bytes");
        }
        return reader.text(length);
    }

    private static void require(FilterReader reader, ByteBuffer from, int bytes)
            throws IOException {
        if (from.remaining() < bytes) {
            throw reader.corrupt(from.remaining() + " bytes left, at least " + bytes);
        }
    }
}

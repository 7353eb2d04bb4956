/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.quotient;

import io.sluice.filter.format.FilterReader;
import io.sluice.filter.format.FilterWriter;
import io.sluice.filter.memory.Storage;
import io.sluice.filter.memory.Words;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Persistent form of a {@link QuotientFilter}: an envelope ({@link io.sluice.filter.format}) of
 * kind {@value #KIND}.
 *
 * <pre>
 *   parameters: quotient bits (1), remainder bits (1), grows: 0 or 1 (1), maximal load (8),
 *               fingerprints held (8), removals of what was not there (8)
 *   payload:    the blocks ({@link Blocks}), then two words of zero
 * </pre>
 */
final class QuotientFilterFormat {

    static final int KIND = 3;

    /** Fingerprints of mixed hashes; the first version had those of hashes as they were given. */
    static final int VERSION_2 = 2;

    static final int VERSION_CURRENT = VERSION_2;

    /** More than any filter reaches: a reader that goes on counting from here does not overflow. */
    private static final long MAX_REFUSED = 1L << 62;

    private static final int PARAMETER_BYTES = 3 + 3 * Long.BYTES;

    private QuotientFilterFormat() {}

    static void write(QuotientFilter filter, OutputStream out) throws IOException {
        Blocks blocks = filter.blocks();
        ByteBuffer parameters =
                ByteBuffer.allocate(PARAMETER_BYTES)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .put((byte) blocks.quotientBits)
                        .put((byte) blocks.remainderBits)
                        .put((byte) (filter.grows() ? 1 : 0))
                        .putDouble(filter.maxLoad())
                        .putLong(filter.size())
                        .putLong(Math.min(filter.refusedRemovals(), MAX_REFUSED));
        FilterWriter writer =
                new FilterWriter(
                        out,
                        KIND,
                        VERSION_CURRENT,
                        parameters.flip(),
                        blocks.words.length() * Long.BYTES);
        blocks.words.writeTo(writer);
        writer.finish();
    }

    static QuotientFilter read(InputStream in, String source, Storage storage) throws IOException {
        FilterReader reader = new FilterReader(in, source, KIND, VERSION_CURRENT, VERSION_CURRENT);
        ByteBuffer from = reader.parameters();
        if (from.remaining() != PARAMETER_BYTES) {
            throw reader.corrupt(
                    from.remaining() + " bytes of parameters, expected " + PARAMETER_BYTES);
        }
        int quotientBits = from.get();
        int remainderBits = from.get();
        int grows = from.get();
        double maxLoad = from.getDouble();
        long size = from.getLong();
        long refused = from.getLong();
        if (quotientBits < 1
                || quotientBits > QuotientSizing.MAX_QUOTIENT_BITS
                || remainderBits < 1
                || remainderBits > QuotientSizing.MAX_FINGERPRINT_BITS - quotientBits
                || grows < 0
                || grows > 1
                || !(maxLoad >= QuotientSizing.MIN_MAX_LOAD && maxLoad <= 1)
                || size < 0
                || size > QuotientSizing.capacity(quotientBits, maxLoad)
                || refused < 0
                || refused > MAX_REFUSED) {
            throw reader.corrupt("impossible parameters of a quotient filter");
        }
        long length = Blocks.words(quotientBits, remainderBits);
        if (reader.payloadLeft() != length * Long.BYTES) {
            throw reader.corrupt(
                    reader.payloadLeft() + " bytes of payload, expected " + length * Long.BYTES);
        }
        Words words = Words.readFrom(reader, storage, length);
        try {
            reader.finish();
            Blocks blocks = Blocks.of(words, quotientBits, remainderBits);
            QuotientFilter filter =
                    new QuotientFilter(sound(blocks, size, reader), size, maxLoad, grows == 1);
            filter.restoreRefusedRemovals(refused);
            return filter;
        } catch (IOException | RuntimeException | Error e) {
            words.release();
            throw e;
        }
    }

    private static BlockTable sound(Blocks blocks, long size, FilterReader reader)
            throws IOException {
        BlockInvariants invariants = new BlockInvariants(blocks);
        // All of them: searches rely on the order of remainders to end, and insertions OR into
        // slots that must be zero.
        String problem = invariants.problem(size);
        if (!problem.isEmpty()) {
            throw reader.corrupt(problem);
        }
        return BlockTable.of(blocks, invariants.mostSpilled());
    }
}

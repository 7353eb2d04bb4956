/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.fbf;

import io.sluice.filter.format.FilterReader;
import io.sluice.filter.format.FilterWriter;
import io.sluice.filter.plane.Geometry;
import io.sluice.filter.plane.GeometryFormat;
import io.sluice.filter.plane.Layout;
import io.sluice.filter.plane.SlicedArray;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Persistent form of a {@link ForgetfulBloomFilter}: an envelope ({@link io.sluice.filter.format})
 * of kind {@value #KIND}.
 *
 * <pre>
 *   parameters: rule (1), geometry ({@link GeometryFormat}), past filters (4), plane of the future
 *               filter (4), words to sweep per insertion (4), retired planes (8),
 *               filters with a history (4), ids of each slice, newest first (8 each)
 *   payload:    the words
 * </pre>
 */
final class ForgetfulBloomFilterFormat {

    static final int KIND = 2;

    /** The first one. */
    static final int VERSION_1 = 1;

    static final int VERSION_CURRENT = VERSION_1;

    private static final int FIXED_BYTES =
            1 + GeometryFormat.BYTES + 4 * Integer.BYTES + Long.BYTES;

    private ForgetfulBloomFilterFormat() {}

    static void write(ForgetfulBloomFilter filter, OutputStream out) throws IOException {
        long[] slices = filter.sliceIds();
        SlicedArray array = filter.array();
        ByteBuffer parameters =
                ByteBuffer.allocate(FIXED_BYTES + slices.length * Long.BYTES)
                        .order(ByteOrder.LITTLE_ENDIAN);
        parameters.put((byte) filter.rule().code());
        GeometryFormat.write(array.geometry(), parameters);
        parameters
                .putInt(filter.pastFilters())
                .putInt(filter.head())
                .putInt(filter.sweepWords())
                .putLong(array.dirty())
                .putInt(slices.length);
        for (long ids : slices) {
            parameters.putLong(ids);
        }
        FilterWriter writer =
                new FilterWriter(
                        out, KIND, VERSION_CURRENT, parameters.flip(), array.geometry().bytes());
        array.writeTo(writer);
        writer.finish();
    }

    static ForgetfulBloomFilter read(InputStream in, String source) throws IOException {
        FilterReader reader = new FilterReader(in, source, KIND, VERSION_CURRENT);
        ByteBuffer from = reader.parameters();
        try {
            SeenRule rule = SeenRule.ofCode(from.get());
            Geometry geometry = GeometryFormat.read(from, reader);
            int pastFilters = from.getInt();
            int head = from.getInt();
            int sweepWords = from.getInt();
            long retired = from.getLong();
            int filters = from.getInt();
            if (rule == null
                    || !geometry.layout().isBloom()
                    || (geometry.layout() == Layout.BLOCKED && rule != SeenRule.SLICES)
                    || pastFilters < 1
                    || pastFilters > geometry.wordBits() - 3
                    || head < 0
                    || head >= geometry.wordBits()
                    || sweepWords < 0
                    || sweepWords > ForgetfulBloomFilter.MAX_SWEEP_WORDS
                    || filters < rule.planesPerId()
                    || filters > pastFilters + 2
                    || (retired & ~(-1L >>> (Long.SIZE - geometry.wordBits()))) != 0
                    || from.remaining() != filters * Long.BYTES
                    || reader.payloadLeft() != geometry.bytes()) {
                throw reader.corrupt("impossible parameters of a forgetful Bloom filter");
            }
            long[] slices = new long[filters];
            long live = 0;
            for (int age = 0; age < filters; age++) {
                slices[age] = from.getLong();
                live |= 1L << ((head + age) & (geometry.wordBits() - 1));
                if (slices[age] < 0) {
                    throw reader.corrupt("a slice of " + slices[age] + " ids");
                }
            }
            if ((live & retired) != 0) {
                throw reader.corrupt("a plane that is both live and retired");
            }
            SlicedArray array = SlicedArray.read(geometry, reader);
            reader.finish();
            ForgetfulInvariants invariants = new ForgetfulInvariants(array, rule, head);
            String problem = invariants.problem(slices, live | retired);
            if (!problem.isEmpty()) {
                throw reader.corrupt(problem);
            }
            if (retired != 0) {
                array.retire(retired);
            }
            ForgetfulBloomFilter filter = new ForgetfulBloomFilter(array, rule, pastFilters);
            filter.restore(head, slices, sweepWords);
            return filter;
        } catch (BufferUnderflowException e) {
            throw reader.corrupt("parameters end too early");
        }
    }
}

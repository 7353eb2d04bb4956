/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.plane;

import io.sluice.filter.annotation.Internal;
import io.sluice.filter.format.CorruptFilterException;
import io.sluice.filter.format.FilterReader;
import java.nio.ByteBuffer;

/**
 * A {@link Geometry} in {@value #BYTES} bytes: layout (1), word bits (1), lines (1), bits of a
 * fingerprint or slots of a line (1), positions (8).
 *
 * <p>Internal: public for the filters that are made of planes.
 */
@Internal
public final class GeometryFormat {

    /** Length of a geometry. */
    public static final int BYTES = 4 + Long.BYTES;

    private GeometryFormat() {}

    /** Writes {@value #BYTES} bytes. */
    public static void write(Geometry geometry, ByteBuffer to) {
        to.put(code(geometry.layout()))
                .put((byte) geometry.wordBits())
                .put((byte) geometry.lines())
                .put((byte) geometry.perLine())
                .putLong(geometry.positions());
    }

    /** The byte that stands for a layout on its own. */
    public static byte code(Layout layout) {
        return (byte) layout.code();
    }

    /**
     * Reads a layout from its {@link #code}.
     *
     * @throws CorruptFilterException if there is none with this code
     */
    public static Layout readLayout(ByteBuffer from, FilterReader reader)
            throws CorruptFilterException {
        int code = from.get();
        Layout layout = Layout.ofCode(code);
        if (layout == null) {
            throw reader.corrupt("layout " + code);
        }
        return layout;
    }

    /**
     * Reads what {@link #write} wrote.
     *
     * @throws CorruptFilterException if it is not a geometry
     */
    public static Geometry read(ByteBuffer from, FilterReader reader)
            throws CorruptFilterException {
        Layout layout = readLayout(from, reader);
        int wordBits = from.get();
        int lines = from.get();
        int perLine = from.get();
        long positions = from.getLong();
        try {
            return new Geometry(layout, wordBits, positions, lines, perLine);
        } catch (IllegalArgumentException e) {
            throw reader.corrupt(e.getMessage());
        }
    }
}

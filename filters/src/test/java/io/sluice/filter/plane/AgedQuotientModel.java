/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.plane;

import java.util.ArrayList;
import java.util.List;

/** What an {@link AgedQuotientTable} answers, exactly, from lists of what its lines hold. */
final class AgedQuotientModel {

    private record Slot(int quotient, long remainder, int plane) {}

    private final List<List<Slot>> lines = new ArrayList<>();
    private final long[] marks;
    private final QuotientLine shape;
    private final int maxLines;

    AgedQuotientModel(Geometry geometry) {
        int count = geometry.words() / Geometry.LINE_WORDS;
        for (int i = 0; i < count; i++) {
            lines.add(new ArrayList<>());
        }
        marks = new long[count];
        shape = new QuotientLine(geometry.perLine());
        maxLines = geometry.lines();
    }

    private int line(long hash, int i) {
        return (int) (((PlaneArray.remix(hash, i) >>> 32) * lines.size()) >>> 32);
    }

    private Slot slot(long hash, long epoch, int plane) {
        long low = PlaneArray.remix(hash, 0) & 0xffff_ffffL;
        int bits = shape.remainderBits();
        return new Slot(
                (int) ((low * QuotientLine.QUOTIENTS) >>> 32),
                PlaneArray.remix(hash, -1) + PlaneArray.ofEpoch(epoch, bits) & ((1L << bits) - 1),
                plane);
    }

    /** False if all lines are full. */
    boolean put(long hash, long epoch, int plane) {
        for (int i = 0; i < maxLines; i++) {
            List<Slot> line = lines.get(line(hash, i));
            if (line.size() < shape.slots()) {
                line.add(slot(hash, epoch, plane));
                mark(hash, i, plane);
                return true;
            }
        }
        return false;
    }

    /** Marks the first {@code count} lines of an id. */
    void mark(long hash, int count, int plane) {
        for (int i = 0; i < count; i++) {
            marks[line(hash, i)] |= 1L << plane;
        }
    }

    boolean holds(long hash, long epoch, long planes) {
        Slot asked = slot(hash, epoch, 0);
        long on = planes;
        for (int i = 0; i < maxLines && on != 0; i++) {
            int line = line(hash, i);
            for (Slot slot : lines.get(line)) {
                if (slot.quotient == asked.quotient
                        && slot.remainder == asked.remainder
                        && (planes >>> slot.plane & 1) != 0) {
                    return true;
                }
            }
            on &= marks[line];
        }
        return false;
    }

    /** Empties {@code planes} in the lines whose last word is among these. */
    void erase(int firstWord, int endWord, long planes) {
        int words = Geometry.LINE_WORDS;
        for (int i = firstWord / words; i < endWord / words; i++) {
            lines.get(i).removeIf(slot -> (planes >>> slot.plane & 1) != 0);
            marks[i] &= ~planes;
        }
    }
}

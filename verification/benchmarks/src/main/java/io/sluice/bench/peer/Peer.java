/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.peer;

import java.util.function.Function;

/**
 * A kind of set that takes part in comparisons, ours or another library's.
 *
 * @param id a stable word in camel case for the names of figures, such as {@code guavaBloom}
 * @param name for readers; without commas, because tables contain it
 * @param removes whether it can remove keys
 * @param maker of an empty structure
 */
public record Peer(String id, String name, boolean removes, Function<Size, Structure> maker) {
    /** Share of the slots that are filled when a structure is full. */
    public static final double LOAD = 0.95;

    /**
     * What a structure is made for.
     *
     * @param slots of structures that have them; all are made for {@link #LOAD} times as many keys
     * @param fpp false-positive probability of structures that can choose it
     */
    public record Size(int slots, double fpp) {
        public Size {
            if (slots < 1 || !(fpp > 0 && fpp < 1)) {
                throw new IllegalArgumentException(
                        "slots must be at least 1 and fpp in (0, 1), got " + slots + ", " + fpp);
            }
        }

        /** For this many keys, if the structure needs no particular number of slots. */
        public static Size ofKeys(long keys, double fpp) {
            return new Size((int) Math.ceil(keys / LOAD), fpp);
        }

        public long keys() {
            return (long) (slots * LOAD);
        }
    }

    /** An empty structure. */
    public Structure create(Size size) {
        return maker.apply(size);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.rate;

import io.sluice.bench.run.Keys;

/**
 * Lets the compiler finish the loops of a contender before they are timed: a small structure of the
 * same class goes through all operations several times, in many short calls, so that the compiler
 * compiles whole methods and not only running loops.
 */
public final class WarmUp {
    /** Slots of a structure for warming up: its lives take some milliseconds. */
    public static final int SLOTS = 1 << 14;

    private static final int LIVES = 6;
    private static final int STEP = 16;

    /** Numbers of the keys to look up: far from the numbers in measurements. */
    private static final long FIRST = 1L << 44;

    private WarmUp() {}

    /** Warms up {@code contender} with {@code small}, whose class is that of its structure. */
    public static void run(Contender contender, RatedStructure small) {
        Contender like = contender.like(small);
        for (int i = 0; i < LIVES; i++) {
            live(like, FIRST + 2L * i * small.capacity());
        }
    }

    private static void live(Contender contender, long from) {
        long keys = contender.capacity();
        contender.structure().begin();
        for (long i = 0; i + STEP <= keys; i += STEP) {
            contender.insert(i, i + STEP);
        }
        for (long i = 0; i + STEP <= keys; i += STEP) {
            contender.contains(Keys.present(keys), from + i, STEP);
            contender.contains(Keys.absent(), from + i, STEP);
        }
        if (contender instanceof RemovableContender removable) {
            for (long i = 0; i + STEP <= keys / 2; i += STEP) {
                removable.remove(i, i + STEP);
            }
        }
        contender.structure().begin();
        contender.insert(0, keys / 2);
        for (long i = 0; i + STEP <= Keys.halvesThatFill(keys); i += STEP) {
            contender.addIfAbsent(Keys.half(keys / 2), from + keys + i, STEP);
        }
        contender.structure().end();
    }
}

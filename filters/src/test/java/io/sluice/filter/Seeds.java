/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter;

import java.util.SplittableRandom;

/** Randomness of tests: fixed by default, overridable by {@code -Dtest.seed=...}. */
public final class Seeds {

    private static final long BASE = Long.getLong("test.seed", 20261101L);

    private Seeds() {}

    /** The seed of the {@code i}-th repetition of a test. */
    public static long seed(int i) {
        return BASE + i;
    }

    /** How to repeat a failure, for assertion messages. */
    public static String describe(long seed) {
        return "repeat with -Dtest.seed=" + seed;
    }

    /** Random numbers for a test that needs only one sequence. */
    public static SplittableRandom random() {
        return new SplittableRandom(BASE);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture;

/**
 * The seed of random tests: set by {@code -Dtest.seed=...}, and part of the description of every
 * failure.
 */
public final class TestSeed {
    /** The seed of this run. */
    public static final long SEED = Long.getLong("test.seed", 20261101L);

    private TestSeed() {}

    /** The description of a failure. */
    public static String reproduce() {
        return "reproduce with -Dtest.seed=" + SEED;
    }
}

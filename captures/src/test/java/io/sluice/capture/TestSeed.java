/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture;

/** The seed of random tests: {@code -Dtest.seed=...}, and in the description of every failure. */
public final class TestSeed {
    /** The seed of this run. */
    public static final long SEED = Long.getLong("test.seed", 20261101L);

    private TestSeed() {}

    /** What a failure says. */
    public static String reproduce() {
        return "reproduce with -Dtest.seed=" + SEED;
    }
}

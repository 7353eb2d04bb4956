/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink;

/** The seed of randomized tests: fixed, unless the system property {@code test.seed} is set. */
public final class Seeds {

    public static final long SEED = Long.getLong("test.seed", 20261101L);

    private Seeds() {}

    /** How to repeat a failure, for assertion messages. */
    public static String describe(long seed) {
        return "repeat with -Dtest.seed=" + seed;
    }
}

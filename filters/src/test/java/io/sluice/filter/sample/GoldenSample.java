/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.sample;

import io.sluice.filter.hash.Hashing;

/** What is in the golden file. */
final class GoldenSample {

    static final String NAME = "v1-clock.bin";

    static final int KEY_GROUPS = 128;
    static final int KEYS = 20;
    static final long CLOCK = 1_400;
    static final long TTL = 1_000;
    private static final long BUCKET = 125;
    private static final long STEP = 100;

    private GoldenSample() {}

    static IdSample empty() {
        return IdSample.ofClock(new HeapMemory(), 32, 1, TTL, BUCKET);
    }

    static long hash(long key) {
        return Hashing.hash(key);
    }

    static int keyGroup(long key) {
        return (int) key * 53 % KEY_GROUPS;
    }

    /** When a key came: the first ones before 1970. */
    static long time(long key) {
        return CLOCK - (KEYS - 1 - key) * STEP;
    }

    static boolean isDropped(long key) {
        return key % 4 == 0;
    }

    /** Keys that came once, and the first of them again after it had expired. */
    static IdSample sample() {
        IdSample sample = empty();
        for (long key = 0; key < KEYS; key++) {
            sample.advanceTo(time(key));
            sample.asked(keyGroup(key), hash(key), isDropped(key));
            sample.changed(keyGroup(key), hash(key));
        }
        sample.asked(keyGroup(0), hash(0), false);
        return sample;
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import io.sluice.filter.hash.Hashing;
import io.sluice.filter.memory.Storage;
import io.sluice.filter.memory.Words;
import io.sluice.state.snapshot.CompositeManifest;
import io.sluice.state.snapshot.MembershipInfo;
import java.io.IOException;
import java.util.List;

/** What is in the golden file. */
final class GoldenSample {

    static final String NAME = "v2-sample.bin";

    static final int KEY_GROUPS = 128;
    static final int KEYS = 20;
    static final long CLOCK = 1_400;
    static final long TTL = 1_000;
    private static final long BUCKET = 125;
    private static final long STEP = 100;

    private GoldenSample() {}

    static MembershipSample empty() {
        return new MembershipSample(
                new SampleTable(Words.allocate(Storage.HEAP, 2L * 32)), 1, TTL, BUCKET, () -> {});
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
    static MembershipSample sample() {
        MembershipSample sample = empty();
        for (long key = 0; key < KEYS; key++) {
            sample.advanceTo(time(key));
            sample.asked(keyGroup(key), hash(key), isDropped(key));
            sample.changed(keyGroup(key), hash(key));
        }
        sample.asked(keyGroup(0), hash(0), false);
        return sample;
    }

    static byte[] bytes(MembershipSample sample) throws IOException {
        return new CompositeManifest(
                        KEY_GROUPS,
                        0,
                        KEY_GROUPS - 1,
                        "long",
                        new byte[0],
                        new CompositeManifest.DelegatePart(
                                CompositeManifest.DelegateKind.NONE,
                                "HashMapStateBackend",
                                new long[0]),
                        List.of(
                                new CompositeManifest.StatePart(
                                        new MembershipInfo("seen", 1e-3, TTL, ""),
                                        new byte[0],
                                        sample.stored(),
                                        List.of())))
                .toBytes();
    }
}

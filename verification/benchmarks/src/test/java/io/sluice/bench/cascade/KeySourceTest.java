/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.cascade;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.sluice.bench.peer.Keys;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class KeySourceTest {
    @Test
    void duplicatesAreOfKeysBeforeAndAsManyAsAsked() {
        KeySource source = new KeySource(0.1);
        Set<Long> seen = new HashSet<>();
        long[] keys = new long[100];
        int duplicates = 0;
        for (int i = 0; i < 1_000; i++) {
            source.fill(keys);
            for (long key : keys) {
                duplicates += seen.add(key) ? 0 : 1;
            }
        }
        assertThat(seen).hasSize((int) source.different());
        for (long n = 0; n < source.different(); n++) {
            assertThat(seen.contains(Keys.key(n))).as("key %d", n).isTrue();
        }
        // Five standard deviations of 100,000 draws.
        assertThat(duplicates / 1e5).isEqualTo(0.1, within(5 * Math.sqrt(0.09 / 1e5)));
    }

    @Test
    void keysInOrderAreAllDifferent() {
        KeySource source = new KeySource(0);
        long[] keys = new long[7];
        source.fill(keys);
        assertThat(keys[6]).isEqualTo(Keys.key(6));
        source.fill(keys);
        assertThat(keys[0]).isEqualTo(Keys.key(7));
    }
}

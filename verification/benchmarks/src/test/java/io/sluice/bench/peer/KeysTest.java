/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.peer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class KeysTest {
    @Test
    void keysOfASequenceArePresentInTheShareAskedFor() {
        Keys half = Keys.half(100);
        Set<Long> present = new HashSet<>();
        for (long i = 0; i < 100; i++) {
            present.add(Keys.key(i));
        }
        int hits = 0;
        for (long i = 0; i < 100_000; i++) {
            hits += present.contains(half.at(i)) ? 1 : 0;
            assertThat(present).contains(Keys.present(100).at(i));
            assertThat(present).doesNotContain(Keys.absent().at(i));
        }
        // A fair coin: five standard deviations are 790.
        assertThat(hits).isBetween(50_000 - 800, 50_000 + 800);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.kbf;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class XorCodeTest {

    @Test
    void algorithmOneFindsTheSmallestEncodings() {
        XorCode code = XorCode.greedy(11);
        assertThat(IntStream.range(0, 11).map(code::word))
                .containsExactly(1, 2, 4, 8, 15, 16, 32, 51, 64, 85, 106);
        assertThat(code.bits()).isEqualTo(7);
    }

    @Test
    void sumsOfOneAndOfTwoAllDiffer() {
        for (XorCode code :
                new XorCode[] {
                    XorCode.greedy(150), XorCode.bch(7), XorCode.bch(200), XorCode.bch(1000)
                }) {
            Set<Integer> sums = new HashSet<>();
            for (int a = 0; a < code.values(); a++) {
                assertThat(sums.add(code.word(a))).isTrue();
                for (int b = 0; b < a; b++) {
                    assertThat(sums.add(code.word(a) ^ code.word(b))).isTrue();
                }
            }
            assertThat(sums).doesNotContain(0);
        }
    }

    @Test
    void tellsOneAndTwoDifferentValues() {
        for (XorCode code : new XorCode[] {XorCode.greedy(30), XorCode.bch(30)}) {
            for (int a = 0; a < code.values(); a++) {
                assertThat(code.decode(code.word(a), 1).stream()).containsExactly(a);
                assertThat(code.decode(0, 2).isEmpty()).as("equal values cancel").isTrue();
                for (int b = 0; b < a; b++) {
                    int both = code.word(a) ^ code.word(b);
                    assertThat(code.decode(both, 2).stream()).containsExactlyInAnyOrder(a, b);
                    assertThat(code.decode(both, 1).isEmpty()).isTrue();
                    assertThat(code.decode(both, 3).isEmpty()).isTrue();
                }
            }
        }
    }
}

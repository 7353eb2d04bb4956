/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.plane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.sluice.filter.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Every shape, the usual one that is written out and the ones with loops. */
class BlockedArrayTest {
    private final SplittableRandom random = Seeds.random();

    private static List<Geometry> shapes() {
        List<Geometry> shapes = new ArrayList<>();
        for (int wordBits : new int[] {8, 16, 32, 64}) {
            int perLine = Geometry.LINE_WORDS * Long.SIZE / wordBits;
            for (int positions = 2; positions <= perLine / 2; positions *= 2) {
                for (int lines = 1; lines <= 3; lines++) {
                    shapes.add(Geometry.blocked(wordBits, 40L * perLine, lines, positions));
                }
            }
        }
        return shapes;
    }

    @Test
    void holdsEachIdInItsPlanesAndErrsAsOftenAsItMeasures() {
        for (Geometry shape : shapes()) {
            PlaneArray array = PlaneArray.create(shape);
            long all = shape.wordBits() == Long.SIZE ? -1 : (1L << shape.wordBits()) - 1;
            long planes = (random.nextLong() & all) | 1;
            int ids = 5 + random.nextInt((int) (shape.positions() / shape.perLine() / 2));
            for (int i = 0; i < ids; i++) {
                long hash = random.nextLong();
                assertThat(array.set(hash, 0, planes)).isTrue();
                assertThat(array.holds(hash, 0, planes)).as("%s", shape).isTrue();
                assertThat(array.holds(hash, 0, planes)).isTrue();
            }
            assertThat(array.measuredFpp(all & ~planes & -(all & ~planes), 1_000)).isZero();
            assertThat(array.holdsOnly(planes)).isTrue();
            assertThat(array.holdsOnly(all & ~1)).isFalse();

            int probes = 20_000;
            int positives = 0;
            for (int i = 0; i < probes; i++) {
                long hash = random.nextLong();
                boolean holds = array.holds(hash, 0, 1);
                assertThat(array.holds(hash, 0, planes)).isEqualTo(holds);
                positives += holds ? 1 : 0;
            }
            double expected = array.measuredFpp(planes, Integer.MAX_VALUE) * probes;
            assertThat(array.measuredFpp(1, Integer.MAX_VALUE) * probes)
                    .isCloseTo(expected, within(1e-6));
            assertThat((double) positives)
                    .as("%s with %s ids", shape, ids)
                    .isCloseTo(expected, within(6 * Math.sqrt(expected) + 2));
        }
    }
}

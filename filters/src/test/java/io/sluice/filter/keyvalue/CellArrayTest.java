/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.keyvalue;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.Seeds;
import io.sluice.filter.memory.Storage;
import io.sluice.filter.memory.Words;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CellArrayTest {

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7, 25, 31, 32, 33, 63, 64})
    void cellsOfAnyWidthDoNotTouchTheirNeighbours(int bits) {
        int cells = 300;
        for (Storage storage : Storage.values()) {
            CellArray array =
                    new CellArray(Words.allocate(storage, ((cells * bits) >>> 6) + 2), bits);
            long[] model = new long[cells];
            SplittableRandom random = Seeds.random();
            for (int i = 0; i < 20_000; i++) {
                int at = random.nextInt(cells);
                model[at] = random.nextLong() >>> (Long.SIZE - bits);
                array.set(at, model[at]);
                int asked = random.nextInt(cells);
                assertThat(array.get(asked)).isEqualTo(model[asked]);
            }
            for (int at = 0; at < cells; at++) {
                assertThat(array.get(at)).isEqualTo(model[at]);
            }
        }
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class TouchesTest {

    @Test
    void takesMorePlacesThanItReadsAtOnceAndChangesNone() {
        long[] array = {1, 2, 3};
        Touches touches = new Touches();
        for (int i = 0; i < 1000; i++) {
            touches.add(array, i % 3, 2);
        }
        touches.read();
        touches.read();
        assertThat(array).containsExactly(1, 2, 3);
    }

    @Test
    void readsNothingAsLongAsNothingWasNoted() {
        long[] array = {1, 2, 3};
        Touches touches = new Touches();
        touches.read();
        touches.keep(array[0]);
        touches.add(array, 0, 2);
        touches.read();
        assertThat(array).containsExactly(1, 2, 3);
    }

    @Test
    void readsWhatWasNoted() {
        Touches touches = new Touches();
        touches.add(new long[2], 0, 2);
        assertThatThrownBy(touches::read).isInstanceOf(ArrayIndexOutOfBoundsException.class);
    }
}

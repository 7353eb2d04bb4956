/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.apache.flink.configuration.MemorySize;
import org.junit.jupiter.api.Test;

class HeapCheckTest {

    private static final long MEBIBYTE = 1 << 20;

    @Test
    void memoryThatFitsIntoTheHeapInEachSlotIsNotMentioned() {
        assertThat(warning(256, 2, 512)).isEmpty();
        assertThat(warning(1, 512, 512)).isEmpty();
    }

    @Test
    void memoryThatDoesNotFitIsToldWithTheOptionsThatMendIt() {
        assertThat(warning(256, 4, 600).orElseThrow())
                .contains(
                        "Operator 'dedup': memory of 256 mb in each slot does not fit",
                        "is 600 mb for 4 slots",
                        "Raise taskmanager.memory.task.heap.size, or lower memory or"
                                + " taskmanager.numberOfTaskSlots.");
        assertThat(warning(601, 1, 600).orElseThrow()).contains("600 mb for 1 slot,");
    }

    @Test
    void theLargestMemoryAndTheMostSlotsDoNotOverflow() {
        assertThat(new HeapCheck("'x'", MemorySize.MAX_VALUE, Integer.MAX_VALUE, 1).warning())
                .isPresent();
        assertThat(new HeapCheck("'x'", MemorySize.MAX_VALUE, 1, Long.MAX_VALUE).warning())
                .isEmpty();
    }

    private static Optional<String> warning(long memory, int slots, long heap) {
        return new HeapCheck("'dedup'", MemorySize.ofMebiBytes(memory), slots, heap * MEBIBYTE)
                .warning();
    }
}

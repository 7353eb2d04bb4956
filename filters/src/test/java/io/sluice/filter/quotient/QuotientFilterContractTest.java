/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.quotient;

import io.sluice.filter.CountingFilter;
import io.sluice.filter.CountingFilterContract;
import io.sluice.filter.memory.Storage;
import org.junit.jupiter.api.Nested;

/** The inherited contracts, on the heap and off it. */
class QuotientFilterContractTest {

    private static final double FPP = 1e-3;

    /** The contract counts copies, each of which takes a slot: some 20 for each key. */
    private static final int COPIES = 40;

    private static CountingFilter filter(int capacity, Storage storage) {
        return QuotientFilter.builder()
                .sized(capacity, FPP)
                .growingTo((long) COPIES * capacity)
                .storage(storage)
                .build();
    }

    @Nested
    class OnTheHeap extends CountingFilterContract {
        @Override
        protected CountingFilter create(int capacity) {
            return filter(capacity, Storage.HEAP);
        }

        @Override
        protected double fpp() {
            return FPP;
        }
    }

    @Nested
    class OffTheHeap extends CountingFilterContract {
        @Override
        protected CountingFilter create(int capacity) {
            return filter(capacity, Storage.OFF_HEAP);
        }

        @Override
        protected double fpp() {
            return FPP;
        }
    }
}

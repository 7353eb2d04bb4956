/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.keyvalue;

import io.sluice.filter.KeyValueFilter;
import io.sluice.filter.KeyValueFilterContract;
import io.sluice.filter.keyvalue.code.CodeKind;
import io.sluice.filter.memory.Storage;
import org.junit.jupiter.api.Nested;

/** The contract with each code, on the heap and off it; bounds are the model's. */
class KeyValueBloomFilterContractTest {

    abstract static class WithShape extends KeyValueFilterContract {

        private static final double CELLS_PER_KEY = 6;
        private static final int PROBES = 4;
        private static final int VALUES = 11;

        private final CodeKind code;
        private final int tagBits;
        private final Storage storage;

        WithShape(CodeKind code, int tagBits, Storage storage) {
            this.code = code;
            this.tagBits = tagBits;
            this.storage = storage;
        }

        private KeyValueModel model() {
            return KeyValueModel.of(
                    code, PROBES, CELLS_PER_KEY, tagBits, KeyValueModel.uniform(VALUES));
        }

        @Override
        protected KeyValueFilter create(int capacity) {
            return Shapes.filter(
                    Shapes.shape(code, VALUES, tagBits, PROBES, CELLS_PER_KEY, capacity),
                    capacity,
                    storage);
        }

        @Override
        protected double ambiguous() {
            return model().ambiguous();
        }

        @Override
        protected double falsePositives() {
            return model().falsePositives();
        }
    }

    @Nested
    class PairsOnTheHeap extends WithShape {
        PairsOnTheHeap() {
            super(CodeKind.PRODUCT_PAIRS, 2, Storage.HEAP);
        }
    }

    @Nested
    class TriplesOffTheHeap extends WithShape {
        TriplesOffTheHeap() {
            super(CodeKind.PRODUCT_TRIPLES, 4, Storage.OFF_HEAP);
        }
    }

    @Nested
    class TriplesWithoutTags extends WithShape {
        TriplesWithoutTags() {
            super(CodeKind.PRODUCT_TRIPLES, 0, Storage.HEAP);
        }
    }

    @Nested
    class Sized extends KeyValueFilterContract {

        private static final double BITS = 64;

        private KeyValueSizing.Plan plan() {
            return KeyValueSizing.best(BITS, 4, 6, KeyValueModel.uniform(11));
        }

        @Override
        protected KeyValueFilter create(int capacity) {
            return KeyValueBloomFilter.builder()
                    .values(11)
                    .sized(capacity, BITS)
                    .exactKeys(100)
                    .build();
        }

        @Override
        protected double ambiguous() {
            return plan().ambiguous();
        }

        @Override
        protected double falsePositives() {
            return plan().falsePositives();
        }
    }
}

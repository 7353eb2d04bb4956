/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.quotient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.FilterFullException;
import io.sluice.filter.Seeds;
import io.sluice.filter.memory.Storage;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** What happens at the moment of growth, and in filters so small that it happens all the time. */
class QuotientGrowthTest {

    private static final double[] LOADS = {1.0 / 64, 0.02, 0.1, 0.3, 0.5, 0.75, 0.95, 1};

    /** Every one of them, including those whose addition made the filter grow. */
    @Test
    void anAdditionThatMakesTheFilterGrowIsHeld() {
        QuotientFilter filter = QuotientFilter.builder().bits(1, 40).growing().build();
        int growths = 0;
        for (long key = 0; key < 3_000; key++) {
            int before = filter.quotientBits();
            assertThat(filter.mightContain(key)).isFalse();
            assertThat(filter.add(key)).isTrue();
            growths += filter.quotientBits() - before;
            assertThat(filter.mightContain(key)).isTrue();
            assertThat(filter.size()).isEqualTo(key + 1);
            assertThat(filter.add(key)).as("is there").isFalse();
            assertThat(filter.size()).isEqualTo(key + 1);
        }
        assertThat(growths).isEqualTo(11);
        filter.checkInvariants();
    }

    @Test
    void aBatchThatMakesTheFilterGrowIsHeld() {
        QuotientFilter filter = QuotientFilter.builder().bits(1, 40).growing().build();
        long[] keys = new long[1_000];
        for (int i = 0; i < keys.length; i++) {
            keys[i] = i;
        }
        boolean[] results = new boolean[keys.length];
        assertThat(filter.addAll(keys, 0, keys.length, results)).isEqualTo(keys.length);
        assertThat(filter.mightContainAll(keys, 0, keys.length, results)).isEqualTo(keys.length);
        filter.insertAll(keys, 0, keys.length);
        for (long key : keys) {
            assertThat(filter.count(key)).isEqualTo(2);
        }
        assertThat(filter.removeAll(keys, 0, keys.length)).isEqualTo(keys.length);
        assertThat(filter.size()).isEqualTo(keys.length);
        filter.checkInvariants();
    }

    /** What is there already is reported without growing, and what is not is refused, once full. */
    @Test
    void aFullFilterThatCannotGrowChangesNothing() {
        QuotientFilter filter = QuotientFilter.builder().bits(2, 2).growing().build();
        long held = 0;
        while (filter.size() < 7) {
            filter.add(held++);
        }
        for (long key = 0; key < 100; key++) {
            long hash = key;
            if (filter.mightContain(hash)) {
                assertThat(filter.add(hash)).isFalse();
            } else {
                assertThatThrownBy(() -> filter.add(hash)).isInstanceOf(FilterFullException.class);
                assertThatThrownBy(() -> filter.insert(hash))
                        .isInstanceOf(FilterFullException.class)
                        .hasMessageContaining("too short to grow");
            }
        }
        assertThat(filter.size()).isEqualTo(7);
        filter.checkInvariants();
    }

    /** Capacities of small filters are rounded: one more quotient bit may give no room. */
    @Test
    void everyMaximalLoadThatIsAcceptedWorks() {
        for (double load : LOADS) {
            QuotientFilter filter =
                    QuotientFilter.builder().bits(1, 30).maxLoad(load).growing().build();
            for (long key = 0; key < 200; key++) {
                assertThat(filter.add(key)).as("key %d at load %s", key, load).isTrue();
                assertThat(filter.size()).isLessThanOrEqualTo(filter.capacity());
            }
            for (long key = 0; key < 200; key++) {
                assertThat(filter.mightContain(key)).isTrue();
            }
            filter.checkInvariants();
        }
    }

    @Test
    void aMaximalLoadThatIsTooSmallIsRefusedWhenTheFilterIsMade() {
        for (double load : new double[] {0, -1, 1e-9, 0.0156, Double.NaN}) {
            assertThatThrownBy(() -> QuotientFilter.builder().bits(4, 8).maxLoad(load).build())
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("maxLoad must be between 0.015625 and 1, got " + load);
        }
    }

    /** What was written can be read, at any size, before and after any growth. */
    @Test
    void everySmallFilterReadsWhatItWrote() throws IOException {
        SplittableRandom random = Seeds.random();
        for (int quotientBits = 1; quotientBits <= 6; quotientBits++) {
            for (int remainderBits = 1; remainderBits <= 9; remainderBits++) {
                for (double load : LOADS) {
                    readsWhatItWrote(quotientBits, remainderBits, load, random);
                }
            }
        }
    }

    private static void readsWhatItWrote(
            int quotientBits, int remainderBits, double load, SplittableRandom random)
            throws IOException {
        QuotientFilter filter =
                QuotientFilter.builder()
                        .bits(quotientBits, remainderBits)
                        .maxLoad(load)
                        .growing()
                        .build();
        for (int i = 0; i < 40; i++) {
            try {
                if (random.nextBoolean()) {
                    filter.add(random.nextLong());
                } else {
                    filter.insert(random.nextLong());
                }
            } catch (FilterFullException full) {
                break;
            }
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            filter.writeTo(out);
            QuotientFilter read =
                    QuotientFilter.readFrom(
                            new ByteArrayInputStream(out.toByteArray()), "a copy", Storage.HEAP);
            assertThat(FingerprintModel.read(read.cursor(), 16))
                    .isEqualTo(FingerprintModel.read(filter.cursor(), 16));
            assertThat(read.capacity()).isEqualTo(filter.capacity());
        }
        if (load < 0.3 || filter.remainderBits() <= 4) {
            return;
        }
        QuotientFilter sum = QuotientMerge.sum(List.of(filter, filter));
        assertThat(sum.size()).isEqualTo(2 * filter.size());
        assertThat(sum.size()).isLessThanOrEqualTo(sum.capacity());
    }
}

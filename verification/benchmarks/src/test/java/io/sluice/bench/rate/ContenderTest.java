/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.rate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.bench.run.Keys;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ContenderTest {

    @Test
    void theLoopsOfEveryContenderAreAClassOfTheirOwn() {
        Contender one = Contender.of(new OneLineLimit(1024, 10));
        Contender other = Contender.of(new OneLineLimit(1024, 10));
        assertThat(one.loops.getClass()).isNotEqualTo(other.loops.getClass());
        assertThat(one).isInstanceOf(RemovableContender.class);
    }

    @Test
    void aSmallStructureWarmsUpTheLoopsOfALargeOne() {
        Contender large = Contender.of(new OneLineLimit(1024, 10));
        Contender small = large.like(new OneLineLimit(64, 1));
        assertThat(small.loops.getClass()).isEqualTo(large.loops.getClass());
        small.fill();
        large.structure().begin();
        assertThat(large.contains(Keys.present(1), 0, 1)).isZero();
        assertThatThrownBy(
                        () ->
                                large.like(
                                        new NamedStructure("other", "other", 1) {
                                            @Override
                                            public void begin() {}

                                            @Override
                                            public void insert(long key) {}

                                            @Override
                                            public boolean contains(long key) {
                                                return true;
                                            }

                                            @Override
                                            public long sizeInBytes() {
                                                return 1;
                                            }

                                            @Override
                                            public void end() {}
                                        }))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("OneLineLimit");
    }

    @Test
    void theLimitDoesWhatItsRowSays() {
        OneLineLimit limit = new OneLineLimit(1 << 20, 1000);
        RemovableContender contender = (RemovableContender) Contender.of(limit);
        contender.fill();
        assertThat(contender.contains(Keys.present(1000), 0, 5000)).isEqualTo(5000);
        assertThat(contender.measuredFpp(0, 1_000_000)).isBetween(1e-5, 3e-4);
        assertThat(contender.addIfAbsent(Keys.present(1000), 0, 1000)).isZero();
        assertThat(contender.addIfAbsent(Keys.absent(), 0, 1000)).isBetween(990L, 1000L);
        assertThat(contender.remove(0, 1000)).isBetween(990L, 1000L);
        limit.begin();
        assertThat(contender.contains(Keys.present(1000), 0, 5000)).isZero();
    }

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

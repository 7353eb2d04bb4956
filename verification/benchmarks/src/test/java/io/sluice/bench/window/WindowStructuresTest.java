/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.window;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.bench.rate.Keys;
import io.sluice.bench.rate.Structure;
import io.sluice.bench.rate.StructureContract;
import io.sluice.filter.plane.Layout;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class WindowStructuresTest {
    private static final int KEYS = 20_000;

    /**
     * So small that no key is taken for an earlier one: a windowed filter does not add such a key,
     * and forgets it together with the earlier one.
     */
    private static final double FPP = 1e-5;

    @TestFactory
    List<DynamicTest> everyFilterWithAWindowKeepsTheContract() {
        return Stream.<Structure>of(
                        new WindowedStructure(FPP, Layout.FINGERPRINTS, KEYS),
                        new WindowedStructure(FPP, Layout.QUOTIENT, KEYS))
                .map(
                        structure ->
                                DynamicTest.dynamicTest(
                                        structure.id(),
                                        () -> StructureContract.check(structure, 10 * FPP)))
                .toList();
    }

    @Test
    void aStructureThatIsSizedByBytesTakesAboutSoMany() {
        for (Structure structure :
                List.of(
                        WindowedStructure.ofBytes(1 << 23, FPP, Layout.FINGERPRINTS),
                        WindowedStructure.ofBytes(1 << 23, FPP, Layout.QUOTIENT))) {
            structure.begin();
            for (long i = 0; i < structure.capacity(); i++) {
                structure.insert(Keys.key(i));
            }
            assertThat((double) structure.sizeInBytes() / (1 << 23))
                    .as(structure.id())
                    .isBetween(0.5, 1.3);
            structure.end();
        }
    }
}

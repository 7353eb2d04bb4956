/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.suite;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class RemainingClassesTest {

    private static final List<String> CLASSES = List.of("a.First", "a.Second");

    @Test
    void aRunWithoutResultsHasAllToRun() {
        assertThat(RemainingClasses.remaining(SuiteRun.STOCK, CLASSES, List.of()))
                .containsExactly("a/First.class", "a/Second.class");
    }

    @Test
    void aClassWithAResultIsDoneInThatRunOnly() {
        List<ClassResult> results = List.of(result(SuiteRun.STOCK, "a.First"));

        assertThat(RemainingClasses.remaining(SuiteRun.STOCK, CLASSES, results))
                .containsExactly("a/Second.class");
        assertThat(RemainingClasses.remaining(SuiteRun.OVER_ROCKSDB, CLASSES, results))
                .containsExactly("a/First.class", "a/Second.class");
    }

    private static ClassResult result(SuiteRun run, String name) {
        return new ClassResult(
                run.label(), name, "abc", 1, 0, List.of(), List.of(), Counts.NONE, 1);
    }
}

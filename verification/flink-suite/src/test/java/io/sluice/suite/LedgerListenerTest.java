/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.UniqueId;
import org.junit.platform.engine.support.descriptor.AbstractTestDescriptor;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.launcher.TestIdentifier;

/** What an oracle sees while no class runs is not lost. */
class LedgerListenerTest {

    private static final String DIRECTORY = "sluice.suite.results";

    @TempDir Path directory;
    private LedgerListener listener;

    @BeforeEach
    void listen() {
        System.setProperty(DIRECTORY, directory.toString());
        listener = new LedgerListener();
        // What other tests in this JVM have seen.
        run("z.Before");
    }

    @AfterEach
    void end() {
        System.clearProperty(DIRECTORY);
    }

    @Test
    void aMarkThatIsDeniedBetweenTwoClassesIsOneOfTheSecond() throws IOException {
        run("a.First");
        denyAMark();
        run("b.Second");
        run("c.Third");
        assertThat(denied()).containsExactly(0L, 1L, 0L);
    }

    @Test
    void aMarkThatIsDeniedAfterTheLastClassIsOneOfThat() throws IOException {
        run("a.First");
        run("b.Second");
        denyAMark();
        listener.testPlanExecutionFinished(null);
        assertThat(denied()).containsExactly(0L, 1L);
    }

    private List<Long> denied() throws IOException {
        return Results.read(directory).stream()
                .filter(result -> !result.className().equals("z.Before"))
                .map(result -> result.counts().denied())
                .toList();
    }

    private static void denyAMark() {
        assertThatThrownBy(() -> Ledger.asked("seen", true, true, false))
                .isInstanceOf(DeniedMarkError.class);
    }

    private void run(String name) {
        TestIdentifier test = TestIdentifier.from(new SomeClass(name));
        listener.executionStarted(test);
        listener.executionFinished(test, TestExecutionResult.successful());
    }

    /** A class of tests, without any. */
    private static final class SomeClass extends AbstractTestDescriptor {
        SomeClass(String name) {
            super(UniqueId.forEngine("engine").append("class", name), name, ClassSource.from(name));
        }

        @Override
        public Type getType() {
            return Type.CONTAINER;
        }
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.sluice.filter.Seeds;
import io.sluice.filter.cascade.ExactModel.Answer;
import io.sluice.filter.cascade.file.PageCache;
import io.sluice.filter.format.CorruptFilterException;
import io.sluice.filter.storage.CrashableDirectory;
import io.sluice.filter.storage.FaultyDirectory;
import io.sluice.filter.storage.FaultyDirectory.Fault;
import io.sluice.filter.storage.FaultyDirectory.InjectedFault;
import io.sluice.filter.storage.FaultyDirectory.Operation;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.EnumSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Storage operations that fail, a full disk, bits that are read wrong: an exception says so, no
 * answer is wrong, and the filter goes on afterwards.
 */
class FaultTest {

    private static final int STEPS = 60;

    /** A lock that was taken but reported as refused can never be given back. */
    private static final Set<Operation> NOT_LOCK = EnumSet.complementOf(EnumSet.of(Operation.LOCK));

    @Tag("thorough")
    @ParameterizedTest
    @EnumSource(
            value = Fault.class,
            names = {"FAIL", "FAIL_AFTERWARDS", "DISK_FULL"})
    void afterAFailureAnywhereTheFilterGoesOn(Fault fault) throws IOException {
        atOperations(Seeds.seed(0), fault, NOT_LOCK, 100);
    }

    @Test
    void aBitThatIsReadWrongIsNoticed() throws IOException {
        atOperations(Seeds.seed(100), Fault.FLIP_BIT, EnumSet.of(Operation.READ), 100);
    }

    @Tag("long")
    @ParameterizedTest
    @EnumSource(
            value = Fault.class,
            names = {"FAIL", "FAIL_AFTERWARDS", "DISK_FULL", "FLIP_BIT"})
    void afterAFailureAnywhereInManyHistoriesTheFilterGoesOn(Fault fault) throws IOException {
        Set<Operation> operations = fault == Fault.FLIP_BIT ? EnumSet.of(Operation.READ) : NOT_LOCK;
        for (int round = 0; round < 30; round++) {
            atOperations(Seeds.seed(20_000 + round), fault, operations, Integer.MAX_VALUE);
        }
    }

    /** Puts the fault at operations spread over the whole history. */
    private static void atOperations(long seed, Fault fault, Set<Operation> of, int most)
            throws IOException {
        Life healthy = new Life(seed, fault, of, Long.MAX_VALUE);
        assertThat(healthy.run()).isFalse();
        long operations = healthy.directory.operations();
        int happened = 0;
        for (long i = 0; i < Math.min(most, operations); i++) {
            long at = most < operations ? i * operations / most : i;
            happened += new Life(seed, fault, of, at).run() ? 1 : 0;
        }
        // Not all operations are of the planned kinds.
        assertThat(happened).isGreaterThan(5);
    }

    /** A history with one fault. */
    private static final class Life {
        private final String name;
        private final SplittableRandom random;
        private final CrashableDirectory disk = new CrashableDirectory();
        private final FaultyDirectory directory = new FaultyDirectory(disk);
        private final ChosenTasks tasks;
        private final CascadeOptions options;
        private final ExactModel model = new ExactModel(Long.MAX_VALUE, 0);
        private CascadeFilter filter;

        private Life(long seed, Fault fault, Set<Operation> of, long at) {
            name = "seed " + seed + ", " + fault + " at operation " + at;
            random = new SplittableRandom(seed);
            tasks = new ChosenTasks(random);
            options =
                    CascadeOptions.builder()
                            .capacity(40 + random.nextInt(4_000))
                            .falsePositiveProbability(1e-3)
                            .bufferBytes(1_000 + random.nextInt(2_000))
                            .overviewBitsPerKey(random.nextInt(2) * 8)
                            .summaryBitsPerKey(random.nextInt(2) * 8)
                            .mergePolicy(MergePolicy.fewFiles(1 + random.nextInt(3)))
                            .syncPolicy(
                                    random.nextBoolean()
                                            ? SyncPolicy.ON_FLUSH
                                            : SyncPolicy.EVERY_FILE)
                            .resources(
                                    CascadeResources.of(
                                            new PageCache(random.nextInt(1 << 14)), tasks))
                            .build();
            if (fault == Fault.FLIP_BIT) {
                directory.planFlip(at, random.nextInt(1 << 20));
            } else {
                directory.plan(fault, of, at);
            }
        }

        /** Something that may run into the fault. */
        private interface Attempt {
            void run() throws IOException;
        }

        /** Returns whether it succeeded; if not, the fault was the reason. */
        private boolean attempt(Attempt attempt) {
            try {
                attempt.run();
                return true;
            } catch (IOException | UncheckedIOException | IllegalStateException e) {
                if (!isInjected(e)) {
                    fail(name + ": not a consequence of the fault", e);
                }
                // A full disk has room again, sooner or later.
                if (random.nextInt(4) == 0) {
                    directory.heal();
                }
                return false;
            }
        }

        private boolean isInjected(Throwable thrown) {
            for (Throwable t = thrown; t != null; t = t.getCause()) {
                if (t instanceof InjectedFault || t instanceof CorruptFilterException) {
                    return directory.happened();
                }
            }
            return false;
        }

        /** Returns whether the fault happened. */
        private boolean run() throws IOException {
            open();
            for (int step = 0; step < STEPS; step++) {
                int kind = random.nextInt(100);
                if (kind < 70) {
                    for (int i = random.nextInt(60); i > 0; i--) {
                        add();
                    }
                } else if (kind < 80) {
                    remove();
                } else if (kind < 92) {
                    tasks.run(1 + random.nextInt(3));
                } else if (kind < 96) {
                    attempt(filter::flush);
                } else {
                    attempt(this::snapshot);
                }
            }
            directory.heal();
            // What failed in the background is still to be thrown.
            while (!attempt(filter::flush)) {
                tasks.runAll();
            }
            checkAll();
            filter.close();
            tasks.runAll();
            filter = CascadeFilter.open(disk, options);
            checkAll();
            filter.close();
            tasks.runAll();
            return directory.happened();
        }

        private void open() {
            while (!attempt(() -> filter = CascadeFilter.open(directory, options))) {
                directory.heal();
            }
        }

        private void snapshot() throws IOException {
            try (CascadeSnapshot snapshot = filter.snapshot()) {
                snapshot.prepare();
                for (CascadeSnapshot.File file : snapshot.files()) {
                    assertThat(disk.bytes(file.name())).hasSize((int) file.sizeBytes());
                }
            }
        }

        private void add() {
            int id = random.nextInt(Universe.HASHES);
            attempt(
                    () -> {
                        boolean absent = filter.add(Universe.hash(id));
                        assertThat(absent).as(name).isEqualTo(model.ask(0, id) == Answer.ABSENT);
                        model.add(0, id);
                    });
        }

        private void remove() {
            int id = random.nextInt(Universe.HASHES);
            attempt(
                    () -> {
                        boolean held = filter.remove(Universe.hash(id));
                        assertThat(held).as(name).isEqualTo(model.ask(0, id) == Answer.PRESENT);
                        model.remove(0, id);
                    });
        }

        private void checkAll() {
            for (int id = 0; id < Universe.HASHES; id++) {
                assertThat(filter.mightContain(Universe.hash(id)))
                        .as("%s: id %s", name, id)
                        .isEqualTo(model.ask(0, id) == Answer.PRESENT);
            }
        }
    }
}

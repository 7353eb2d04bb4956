/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.forgetful;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.Seeds;
import io.sluice.filter.plane.Layout;
import io.sluice.filter.plane.PinnedWords;
import io.sluice.filter.plane.PlaneArray;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Field;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Snapshots that one thread writes while another goes on with the filter. */
class ForgetfulFilterSnapshotTest {

    private static final int HISTORIES = 120;
    private static final long WINDOW = 1_000;

    private final ExecutorService reader = Executors.newFixedThreadPool(2);

    @AfterEach
    void stop() {
        reader.shutdownNow();
    }

    @Tag("thorough")
    @ParameterizedTest
    @EnumSource(names = {"FINGERPRINTS", "QUOTIENT"})
    void writesTheMomentOfThePinWhateverTheFilterDoesMeanwhile(Layout layout) throws Exception {
        for (int i = 0; i < HISTORIES; i++) {
            long seed = Seeds.seed(i);
            try {
                new History(layout, new SplittableRandom(seed)).run();
            } catch (AssertionError | RuntimeException | ExecutionException e) {
                throw new AssertionError(Seeds.describe(seed), e);
            }
        }
    }

    private record Writing(
            ByteArrayOutputStream expected,
            ForgetfulFilterSnapshot snapshot,
            Future<byte[]> bytes) {
        void finish() throws Exception {
            assertThat(bytes.get()).isEqualTo(expected.toByteArray());
            assertThat(snapshot.copiedBytes()).isZero();
            snapshot.close();
        }
    }

    /** From less than a page to some hundred; with a reader that runs free, or stops everywhere. */
    private final class History {
        private final SplittableRandom random;
        private final Layout layout;
        private final ForgetfulFilter filter;
        private final boolean free;
        private final Semaphore mayWrite = new Semaphore(0);
        private final Deque<Writing> alive = new ArrayDeque<>();
        private final MemoryBudget budget;
        private long clock;

        History(Layout layout, SplittableRandom random) {
            this.random = random;
            this.layout = layout;
            this.free = random.nextBoolean();
            this.budget = new MemoryBudget(4L << 20);
            this.filter = ForgetfulFilter.create(options(), budget, 0, random.nextLong(40_000));
        }

        private WindowOptions options() {
            return WindowOptions.builder()
                    .windowMillis(WINDOW)
                    .layout(layout)
                    .expectedPerWindow(1 + random.nextLong(1L << random.nextInt(1, 17)))
                    .falsePositiveProbability(random.nextBoolean() ? 1e-3 : 1e-6)
                    .build();
        }

        void run() throws Exception {
            for (int i = random.nextInt(10); i > 0; i--) {
                step();
            }
            for (int i = 0; i < 30; i++) {
                if (alive.size() < 2 && random.nextInt(5) == 0) {
                    alive.add(begin());
                }
                step();
                mayWrite.release(random.nextInt(4));
                if (random.nextInt(10) == 0 && !alive.isEmpty()) {
                    finishOldest();
                }
            }
            while (!alive.isEmpty()) {
                finishOldest();
            }
            filter.insert(random.nextLong(), clock);
            filter.segments()
                    .subList(0, filter.segments().size() - 1)
                    .forEach(this::touchByErasing);
            assertThat(filter.segments()).noneMatch(segment -> segment.array.pinned());
            filter.close();
        }

        private void touchByErasing(Segment segment) {
            segment.retire(segment.generations.live());
            segment.array.finishSweep();
        }

        private void finishOldest() throws Exception {
            mayWrite.release(1 << 20);
            alive.remove().finish();
            mayWrite.drainPermits();
        }

        private Writing begin() throws IOException {
            var expected = new ByteArrayOutputStream();
            filter.writeTo(expected);
            ForgetfulFilterSnapshot snapshot = filter.pin();
            SplittableRandom pauses = random.split();
            return new Writing(
                    expected,
                    snapshot,
                    reader.submit(
                            () -> {
                                var out = new Pausing(free ? null : pauses, mayWrite);
                                snapshot.writeTo(out);
                                return out.toByteArray();
                            }));
        }

        private void step() {
            switch (random.nextInt(12)) {
                case 0 -> filter.changeOptions(options());
                case 1 -> advance(random.nextLong(4 * WINDOW));
                case 2, 3, 4 -> advance(random.nextLong(WINDOW / 2));
                default -> add(random.nextInt(1, 1 << random.nextInt(1, 12)));
            }
        }

        private void advance(long by) {
            clock += by;
            filter.advanceTo(clock);
        }

        private void add(int count) {
            for (int i = 0; i < count; i++) {
                filter.add(random.nextLong(), clock - random.nextLong(WINDOW / 4));
            }
        }
    }

    /** Waits at some writes until the owner has gone on. */
    private static final class Pausing extends ByteArrayOutputStream {
        private final SplittableRandom pauses;
        private final Semaphore mayWrite;

        Pausing(SplittableRandom pauses, Semaphore mayWrite) {
            this.pauses = pauses;
            this.mayWrite = mayWrite;
        }

        @Override
        public synchronized void write(byte[] bytes, int from, int length) {
            if (pauses != null && pauses.nextInt(3) == 0) {
                mayWrite.acquireUninterruptibly();
            }
            super.write(bytes, from, length);
        }
    }

    private static ForgetfulFilter filled(int ids) {
        WindowOptions options =
                WindowOptions.builder().windowMillis(WINDOW).expectedPerWindow(ids).build();
        ForgetfulFilter filter = ForgetfulFilter.create(options, new MemoryBudget(64L << 20), 0);
        SplittableRandom random = Seeds.random();
        for (int i = 0; i < ids; i++) {
            filter.add(random.nextLong(), 0);
        }
        return filter;
    }

    private static byte[] written(ForgetfulFilterSnapshot snapshot) throws IOException {
        var out = new ByteArrayOutputStream();
        snapshot.writeTo(out);
        return out.toByteArray();
    }

    @Test
    void aSnapshotOutlivesTheFilter() throws IOException {
        ForgetfulFilter filter = filled(10_000);
        var expected = new ByteArrayOutputStream();
        filter.writeTo(expected);
        try (ForgetfulFilterSnapshot snapshot = filter.pin()) {
            filter.close();
            assertThat(written(snapshot)).isEqualTo(expected.toByteArray());
        }
    }

    @Test
    void aSnapshotIsWrittenOnce() throws IOException {
        try (ForgetfulFilterSnapshot snapshot = filled(100).pin()) {
            written(snapshot);
            assertThatThrownBy(() -> written(snapshot)).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void aClosedSnapshotIsNotWrittenAndTheFilterIsUnpinned() {
        ForgetfulFilter filter = filled(10_000);
        ForgetfulFilterSnapshot snapshot = filter.pin();
        filter.insert(1, 0);
        assertThat(snapshot.copiedBytes()).isPositive();
        snapshot.close();
        snapshot.close();
        assertThat(snapshot.copiedBytes()).isZero();
        assertThatThrownBy(() -> written(snapshot))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("closed");
        filter.insert(2, 0);
        assertThat(filter.segments()).noneMatch(segment -> segment.array.pinned());
    }

    @Test
    void writingLeavesNothingPinned() throws IOException {
        ForgetfulFilter filter = filled(10_000);
        filter.writeTo(OutputStream.nullOutputStream());
        OutputStream failing =
                new OutputStream() {
                    @Override
                    public void write(int b) throws IOException {
                        throw new IOException("disk full");
                    }
                };
        assertThatThrownBy(() -> filter.writeTo(failing)).hasMessage("disk full");
        filter.insert(1, 0);
        assertThat(filter.segments()).noneMatch(segment -> segment.array.pinned());
    }

    @Test
    void closingEndsAWriteThatIsUnderWay() {
        ForgetfulFilterSnapshot snapshot = filled(10_000).pin();
        OutputStream closing =
                new OutputStream() {
                    @Override
                    public void write(int b) {
                        throw new UncheckedIOException(new IOException("not in one piece"));
                    }

                    @Override
                    public void write(byte[] bytes, int from, int length) {
                        snapshot.close();
                    }
                };
        assertThatThrownBy(() -> snapshot.writeTo(closing)).isInstanceOf(IOException.class);
    }

    @Test
    void snapshotsOfAFilterThatNobodyWritesToLeaveNothing() throws Exception {
        ForgetfulFilter filter =
                ForgetfulFilter.create(
                        WindowOptions.builder().windowMillis(8_000).build(),
                        new MemoryBudget(1 << 20),
                        0);
        filter.add(1, 0);
        for (int i = 0; i < 1_000; i++) {
            filter.pin().close();
        }
        Field pins = PlaneArray.class.getDeclaredField("pins");
        Field next = PinnedWords.class.getDeclaredField("next");
        pins.setAccessible(true);
        next.setAccessible(true);
        int kept = 0;
        for (Object pin = pins.get(filter.segments().get(0).array);
                pin != null;
                pin = next.get(pin)) {
            kept++;
        }
        assertThat(kept).isLessThanOrEqualTo(1);
    }
}

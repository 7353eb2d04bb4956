/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.forgetful;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.schedules.Schedules;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** A forgetful filter whose snapshots are written by other threads while it goes on. */
class WindowSchedulesTest {

    private static final long MIX = 0x9e3779b97f4a7c15L;

    /** Some pages of memory. */
    private static final int EXPECTED = 2_000;

    private static ForgetfulFilter filter() {
        WindowOptions options =
                WindowOptions.builder()
                        .windowMillis(1_000_000)
                        .falsePositiveProbability(1e-3)
                        .expectedPerWindow(EXPECTED)
                        .clockOfCaller()
                        .build();
        return ForgetfulFilter.create(options, new MemoryBudget(1L << 20), 0);
    }

    private static void add(ForgetfulFilter filter, int from, int to) {
        for (int id = from; id < to; id++) {
            filter.add((id + 1) * MIX, 0);
        }
    }

    private static byte[] bytes(ForgetfulFilter filter) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        filter.writeTo(out);
        return out.toByteArray();
    }

    private static byte[] written(ForgetfulFilterSnapshot snapshot) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (snapshot) {
            snapshot.writeTo(out);
        }
        return out.toByteArray();
    }

    @Test
    void aSnapshotHasTheBytesOfItsMoment() {
        Schedules.explore(
                "window-snapshots",
                () -> {
                    ForgetfulFilter filter = filter();
                    add(filter, 0, 4);
                    byte[] before = bytes(filter);
                    ForgetfulFilterSnapshot first = filter.pin();
                    add(filter, 4, 6);
                    byte[] later = bytes(filter);
                    ForgetfulFilterSnapshot second = filter.pin();
                    Schedules.together(
                            () -> add(filter, 6, 12),
                            () -> assertThat(written(first)).isEqualTo(before),
                            () -> assertThat(written(second)).isEqualTo(later));
                    assertThat(first.copiedBytes() + second.copiedBytes()).isZero();
                });
    }

    @Test
    void aSnapshotThatIsClosedMeanwhileIsWrittenWholeOrNotAtAll() {
        Schedules.explore(
                "window-close",
                () -> {
                    ForgetfulFilter filter = filter();
                    add(filter, 0, 4);
                    byte[] before = bytes(filter);
                    ForgetfulFilterSnapshot snapshot = filter.pin();
                    Schedules.together(
                            () -> add(filter, 4, 8),
                            snapshot::close,
                            () -> assertWholeOrClosed(snapshot, before));
                    assertThat(snapshot.copiedBytes()).isZero();
                });
    }

    private static void assertWholeOrClosed(ForgetfulFilterSnapshot snapshot, byte[] before) {
        byte[] bytes;
        try {
            bytes = written(snapshot);
        } catch (IOException e) {
            assertThat(e).hasMessageContaining("closed");
            return;
        }
        assertThat(bytes).isEqualTo(before);
    }
}

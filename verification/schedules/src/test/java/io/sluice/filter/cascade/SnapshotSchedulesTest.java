/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.schedules.Schedules;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** A snapshot that another thread writes, copies and closes, while its filter goes on or ends. */
class SnapshotSchedulesTest {

    @Test
    void aSnapshotHoldsWhatWasThereWhenItWasTaken() {
        TinyCascade.explore(
                "snapshot",
                tiny -> {
                    try (CascadeFilter filter = tiny.open(tiny.options())) {
                        TinyCascade.add(filter, 0, 17);
                        CascadeSnapshot snapshot = filter.snapshot();
                        Schedules.together(
                                () -> {
                                    TinyCascade.add(filter, 17, 30);
                                    assertThat(TinyCascade.held(filter, 32))
                                            .isEqualTo(TinyCascade.ids(0, 30));
                                },
                                () -> {
                                    try (snapshot) {
                                        snapshot.prepare();
                                        assertThat(TinyCascade.copied(snapshot, 32))
                                                .isEqualTo(TinyCascade.ids(0, 17));
                                    }
                                });
                    }
                });
    }

    @Test
    void severalSnapshotsNeedTheSameBuffer() {
        TinyCascade.explore(
                "snapshots",
                tiny -> {
                    try (CascadeFilter filter = tiny.open(tiny.options())) {
                        TinyCascade.add(filter, 0, 10);
                        CascadeSnapshot first = filter.snapshot();
                        TinyCascade.add(filter, 10, 12);
                        CascadeSnapshot second = filter.snapshot();
                        Schedules.together(
                                () -> TinyCascade.add(filter, 12, 20),
                                () -> prepareAndCompare(first, 10),
                                () -> prepareAndCompare(second, 12));
                        assertThat(TinyCascade.held(filter, 22)).isEqualTo(TinyCascade.ids(0, 20));
                    }
                });
    }

    private static void prepareAndCompare(CascadeSnapshot snapshot, int held) throws IOException {
        try (snapshot) {
            snapshot.prepare();
            assertThat(TinyCascade.copied(snapshot, 22)).isEqualTo(TinyCascade.ids(0, held));
        }
    }

    @Test
    void aFilterIsClosedWhileItsSnapshotIsWritten() {
        TinyCascade.explore(
                "close-and-prepare",
                tiny -> {
                    CascadeFilter filter = tiny.open(tiny.options().syncPolicy(SyncPolicy.NEVER));
                    TinyCascade.add(filter, 0, 17);
                    CascadeSnapshot snapshot = filter.snapshot();
                    Schedules.together(
                            () -> {
                                filter.close();
                                // The directory may be opened again now.
                                assertThat(tiny.directory.written()).isEmpty();
                            },
                            () -> {
                                try (snapshot) {
                                    if (isPrepared(snapshot)) {
                                        assertThat(TinyCascade.copied(snapshot, 20))
                                                .isEqualTo(TinyCascade.ids(0, 17));
                                    }
                                }
                            });
                });
    }

    /** False if it says that the filter was closed before. */
    private static boolean isPrepared(CascadeSnapshot snapshot) throws IOException {
        try {
            snapshot.prepare();
            return true;
        } catch (IOException e) {
            assertThat(e).hasMessageContaining("was closed before its snapshot was prepared");
            return false;
        }
    }

    @Test
    void aSnapshotIsClosedWhileItsFilterIsClosedThatHasThreadsOfItsOwn() {
        TinyCascade.explore(
                "close-and-close",
                tiny -> {
                    CascadeFilter filter = tiny.open(tiny.own());
                    TinyCascade.add(filter, 0, 3);
                    CascadeSnapshot snapshot = filter.snapshot();
                    snapshot.prepare();
                    Schedules.together(filter::close, snapshot::close);
                });
    }

    @Test
    void aFilterIsClosedWhileItsFilesAreMergedAndListed() {
        TinyCascade.explore(
                "close-and-merge",
                tiny -> {
                    try (CascadeFilter filter = tiny.open(tiny.idle())) {
                        for (int id = 0; id < 9; id += 3) {
                            TinyCascade.add(filter, id, id + 3);
                            filter.flush();
                        }
                    }
                    // The merge of its files begins at once.
                    tiny.open(tiny.options().syncPolicy(SyncPolicy.NEVER)).close();
                });
    }

    @Test
    void aDirectoryIsOpenedAgainWhileAnOldSnapshotIsClosed() {
        TinyCascade.explore(
                "reopen",
                tiny -> {
                    CascadeOptionsBuilder options = tiny.options().syncPolicy(SyncPolicy.NEVER);
                    CascadeFilter filter = tiny.open(options);
                    TinyCascade.add(filter, 0, 10);
                    CascadeSnapshot snapshot = filter.snapshot();
                    snapshot.prepare();
                    filter.close();
                    Schedules.together(
                            () -> {
                                try (CascadeFilter again = tiny.open(options)) {
                                    assertThat(TinyCascade.held(again, 12)).isEmpty();
                                    TinyCascade.add(again, 0, 9);
                                }
                            },
                            snapshot::close);
                });
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.schedules.Schedules;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The owner of a filter, and what goes on behind its back. */
class CascadeSchedulesTest {

    /** So few that two filters push each other's pages out. */
    private static final int FEW_PAGES = 2;

    @Test
    void noIdIsDeniedWhileBuffersAreWrittenAndFilesMerged() {
        TinyCascade.explore("write-and-merge", tiny -> addAndAsk(tiny, tiny.options()));
    }

    @Test
    void noIdIsDeniedWhileOverviewsAreBuilt() {
        TinyCascade.explore(
                "overview", tiny -> addAndAsk(tiny, tiny.options().overviewBitsPerKey(8)));
    }

    @Test
    void noIdIsDeniedWhileEachFileIsMadeDurable() {
        TinyCascade.explore(
                "every-file",
                tiny -> addAndAsk(tiny, tiny.options().syncPolicy(SyncPolicy.EVERY_FILE)));
    }

    /** A merge, or a list of files, may be under way when the filter is closed. */
    private static void addAndAsk(TinyCascade tiny, CascadeOptionsBuilder options)
            throws Exception {
        try (CascadeFilter filter = tiny.open(options)) {
            for (int id = 0; id < 24; id += 6) {
                TinyCascade.add(filter, id, id + 6);
                assertThat(TinyCascade.held(filter, 26)).isEqualTo(TinyCascade.ids(0, id + 6));
            }
        }
        try (CascadeFilter filter = tiny.open(options)) {
            assertThat(TinyCascade.held(filter, 26)).isEqualTo(TinyCascade.ids(0, 24));
        }
    }

    @Test
    void noIdIsDeniedBeforeItsTimeWhileOthersExpire() {
        TinyCascade.explore(
                "expiry",
                tiny -> {
                    CascadeOptionsBuilder options =
                            tiny.options().timeToLive(Duration.ofMillis(20), 2);
                    try (CascadeFilter filter = tiny.open(options)) {
                        for (int id = 0; id < 30; id += 5) {
                            // Ids live for two to three steps: a bucket has the length of one.
                            filter.advanceTo(1_000 + 2L * id);
                            TinyCascade.add(filter, id, id + 5);
                            Set<Integer> held = TinyCascade.held(filter, 32);
                            assertThat(held)
                                    .containsAll(TinyCascade.ids(Math.max(0, id - 5), id + 5))
                                    .isSubsetOf(TinyCascade.ids(Math.max(0, id - 15), id + 5));
                        }
                    }
                });
    }

    @Test
    void filesExpireWhileTheyAreMerged() {
        TinyCascade.explore(
                "expire-and-merge",
                tiny -> {
                    CascadeOptionsBuilder options =
                            tiny.options()
                                    .timeToLive(Duration.ofMillis(20), 2)
                                    .syncPolicy(SyncPolicy.NEVER);
                    try (CascadeFilter filter = tiny.open(options)) {
                        filter.advanceTo(1_000);
                        for (int id = 0; id < 8; id += 2) {
                            TinyCascade.add(filter, id, id + 2);
                            try (CascadeSnapshot snapshot = filter.snapshot()) {
                                snapshot.prepare();
                            }
                        }
                        // No list names the files, so nothing but the merge needs them now.
                        filter.advanceTo(2_000);
                        assertThat(TinyCascade.held(filter, 10)).isEmpty();
                        TinyCascade.add(filter, 0, 2);
                    }
                });
    }

    @Test
    void twoFiltersShareThreadsAndPages() {
        TinyCascade.explore(
                "two-filters",
                FEW_PAGES,
                tiny -> {
                    TinyCascade other = tiny.neighbour();
                    try (CascadeFilter one = tiny.open(tiny.options());
                            CascadeFilter two = other.open(other.options())) {
                        Schedules.together(
                                () -> {
                                    TinyCascade.add(one, 0, 16);
                                    assertThat(TinyCascade.held(one, 20))
                                            .isEqualTo(TinyCascade.ids(0, 16));
                                },
                                () -> {
                                    TinyCascade.add(two, 5, 19);
                                    assertThat(TinyCascade.held(two, 20))
                                            .isEqualTo(TinyCascade.ids(5, 19));
                                });
                    }
                    other.assertNothingIsLeft();
                });
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.ApiMarks;
import org.junit.jupiter.api.Test;

/** Checks which types are for users, and that these expose no others. */
class ApiMarksTest {

    private static final ApiMarks MARKS = ApiMarks.of("io.sluice.flink.reconcile");

    @Test
    void everyPublicTypeSaysWhetherItIsForUsers() {
        assertThat(MARKS.withoutOneMark()).isEmpty();
        assertThat(MARKS.forUsers()).contains("io.sluice.flink.reconcile.Reconcile");
    }

    @Test
    void whatIsForUsersShowsNothingThatIsInternal() {
        assertThat(MARKS.leaks()).isEmpty();
    }
}

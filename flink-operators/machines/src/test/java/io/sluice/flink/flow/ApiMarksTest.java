/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.ApiMarks;
import org.junit.jupiter.api.Test;

/** Which types are for users, and that these show no others. */
class ApiMarksTest {

    private static final ApiMarks MARKS = ApiMarks.of("io.sluice.flink");

    @Test
    void everyPublicTypeSaysWhetherItIsForUsers() {
        assertThat(MARKS.withoutOneMark()).isEmpty();
        assertThat(MARKS.forUsers()).contains("io.sluice.flink.flow.FlowStateMachine");
    }

    @Test
    void whatIsForUsersShowsNothingThatIsInternal() {
        assertThat(MARKS.leaks()).isEmpty();
    }
}

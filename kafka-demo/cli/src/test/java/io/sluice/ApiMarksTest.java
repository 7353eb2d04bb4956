/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.ApiMarks;
import org.junit.jupiter.api.Test;

/** The tools are for their commands; what they print is for users. */
class ApiMarksTest {

    @Test
    void everyPublicTypeIsInternal() {
        for (String room : new String[] {"io.sluice.inspect", "io.sluice.plan"}) {
            ApiMarks marks = ApiMarks.of(room);
            assertThat(marks.withoutOneMark()).isEmpty();
            assertThat(marks.forUsers()).isEmpty();
        }
    }
}

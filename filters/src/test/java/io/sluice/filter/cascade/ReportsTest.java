/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class ReportsTest {
    private final Reports reports = new Reports();

    @Test
    void aFailureCallsForAttentionUntilItIsTaken() {
        IOException failure = new IOException("full");
        reports.fail(failure);

        reports.clearAttention();
        assertThat(reports.needsAttention()).as("the owner took all but the failure").isTrue();

        assertThat(reports.takeFailure()).isSameAs(failure);
        reports.clearAttention();
        assertThat(reports.needsAttention()).isFalse();
        assertThat(reports.takeFailure()).isNull();
    }
}

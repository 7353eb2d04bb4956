/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.sql;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.Test;

/** BATCH execution. */
class BatchModeTest {

    /** Flink 2.3 plans no process table function in BATCH. */
    @Test
    void isRefusedBeforeAnythingRuns() {
        Tables tables =
                Tables.with(
                                new Configuration()
                                        .set(
                                                ExecutionOptions.RUNTIME_MODE,
                                                RuntimeExecutionMode.BATCH))
                        .withRecords(List.of(Row.of("a", 1L, "one", 0L)));
        assertThatThrownBy(
                        () ->
                                tables.tables()
                                        .explainSql(
                                                "SELECT * FROM DEDUPLICATE(input => TABLE records"
                                                        + " PARTITION BY id)"))
                .hasMessageContaining("DEDUPLICATE");
    }
}

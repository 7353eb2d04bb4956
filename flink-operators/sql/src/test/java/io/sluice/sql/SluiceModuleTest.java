/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import org.apache.flink.table.functions.FunctionKind;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.Test;

/** {@code LOAD MODULE sluice} is all. */
class SluiceModuleTest {

    private static final String QUERY =
            "SELECT * FROM DEDUPLICATE(input => TABLE records PARTITION BY id)";

    private final Tables tables =
            Tables.inStreamingMode().withRecords(List.of(Row.of("a", 1L, "one", 0L)));

    @Test
    void theFunctionsAreThereByTheirNames() {
        assertThat(tables.tables().listModules()).containsExactly("core", "sluice");
        assertThat(tables.tables().listFunctions()).contains("DEDUPLICATE", "DEDUPLICATE_WINDOW");
        assertThat(new SluiceModule().getFunctionDefinition("deduplicate"))
                .hasValueSatisfying(
                        function ->
                                assertThat(function.getKind())
                                        .isEqualTo(FunctionKind.PROCESS_TABLE));
        assertThat(new SluiceModule().getFunctionDefinition("DEDUPE")).isEmpty();
    }

    @Test
    void explainShowsThem() {
        assertThat(tables.tables().explainSql(QUERY))
                .contains("DEDUPLICATE(")
                .contains("ProcessTableFunction")
                .contains("uid=[DEDUPLICATE]");
        assertThat(
                        tables.tables()
                                .explainSql(
                                        "SELECT * FROM DEDUPLICATE_WINDOW(input => TABLE records"
                                                + " PARTITION BY id, duration => INTERVAL '1'"
                                                + " MINUTE, on_time => DESCRIPTOR(`at`), uid =>"
                                                + " 'by-minute')"))
                .contains("DEDUPLICATE_WINDOW(")
                .contains("uid=[by-minute]");
    }

    @Test
    void anOptionThatTheModuleDoesNotHaveIsRefused() {
        tables.tables().executeSql("UNLOAD MODULE sluice");
        assertThatThrownBy(
                        () -> tables.tables().executeSql("LOAD MODULE sluice WITH ('p' = '1e-6')"))
                .rootCause()
                .hasMessageContaining("p");
    }

    @Test
    void withoutTheModuleThereIsNoSuchFunction() {
        tables.tables().executeSql("UNLOAD MODULE sluice");
        assertThatThrownBy(() -> tables.tables().explainSql(QUERY))
                .rootCause()
                .hasMessageContaining("DEDUPLICATE");
    }

    /** As in the columns of a PTF in general: first the keys, then the others. */
    @Test
    void theColumnsAreTheKeysAndThenTheOthers() {
        assertThat(
                        tables.tables()
                                .sqlQuery(
                                        "SELECT * FROM DEDUPLICATE(input => TABLE records PARTITION"
                                                + " BY (text, id))")
                                .getResolvedSchema()
                                .getColumnNames())
                .isEqualTo(Arrays.asList("text", "id", "seq", "millis", "at", "proc"));
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * {@code DEDUPLICATE_KEEP_FIRST} without {@code PARTITION BY}: all rows are of one key, in one
 * subtask, and the first of them is the only one to come out.
 */
@ParameterizedClass
@EnumSource(Backend.class)
class OneKeyIT {

    @RegisterExtension
    static final MiniClusterExtension FLINK =
            new MiniClusterExtension(
                    new MiniClusterResourceConfiguration.Builder()
                            .setNumberTaskManagers(1)
                            .setNumberSlotsPerTaskManager(2)
                            .build());

    private static final Duration OUT_OF_ORDER = Duration.ofSeconds(5);

    @Parameter Backend backend;

    private List<Row> run(String columns, String arguments) throws Exception {
        Configuration configuration = backend.configuration();
        configuration.set(CoreOptions.DEFAULT_PARALLELISM, 2);
        return Tables.with(configuration)
                .withRecords(
                        List.of(
                                Operator.record("a", 1, "one", 2000),
                                Operator.record("b", 2, "two", 1000),
                                Operator.record("a", 3, "three", 3000)),
                        OUT_OF_ORDER)
                .changes(
                        "SELECT "
                                + columns
                                + " FROM DEDUPLICATE_KEEP_FIRST(input => TABLE records"
                                + arguments
                                + ")");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ", state_ttl => INTERVAL '1' DAY"})
    void theFirstRowToArriveComesOut(String arguments) throws Exception {
        assertThat(run("id, seq, text, millis", arguments))
                .containsExactly(Row.of("a", 1L, "one", 2000L));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ", state_ttl => INTERVAL '1' DAY"})
    void orTheFirstInEventTime(String arguments) throws Exception {
        assertThat(run("id, seq", ", on_time => DESCRIPTOR(`at`)" + arguments))
                .containsExactly(Row.of("b", 2L));
    }
}

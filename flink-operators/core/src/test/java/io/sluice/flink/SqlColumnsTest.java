/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.flink.counter.CounterValue;
import io.sluice.flink.counter.IdempotentCounters;
import java.time.Duration;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.Test;

/** What SQL sees of the operators' outputs. */
class SqlColumnsTest {

    private final SqlOutput output = new SqlOutput();

    @Test
    void valuesOfCountersAreReadBySql() throws Exception {
        DataStream<Tuple2<String, Long>> views =
                output.env.fromData(
                        Types.TUPLE(Types.STRING, Types.LONG),
                        Tuple2.of("home", 1L),
                        Tuple2.of("home", 2L),
                        Tuple2.of("home", 1L),
                        Tuple2.of("news", 3L));
        DataStream<CounterValue<String>> values =
                IdempotentCounters.of((Tuple2<String, Long> view) -> view.f0)
                        .counterType(Types.STRING)
                        .operation(view -> view.f1, Types.LONG)
                        .uid("views")
                        .timeDomain(TimeDomain.PROCESSING)
                        .within(Duration.ofMinutes(10))
                        .apply(views);

        output.columns(
                values,
                "counter STRING",
                "value BIGINT NOT NULL",
                "expectedUndercount DOUBLE NOT NULL",
                "timestamp BIGINT NOT NULL");
        assertThat(
                        output.rows(
                                "SELECT counter, MAX(`value`), MAX(expectedUndercount) < 1,"
                                        + " MIN(`timestamp`) > 0 FROM output GROUP BY counter"))
                .contains(Row.of("home", 2L, true, true), Row.of("news", 1L, true, true));
    }

    @Test
    void keysOfCountersAreColumnsOfTheirOwnType() throws Exception {
        TypeInformation<CounterValue<Tuple2<Long, String>>> type =
                CounterValue.type(Types.TUPLE(Types.LONG, Types.STRING));
        output.show(output.env.fromData(type, new CounterValue<>(Tuple2.of(7L, "x"), 3, 0.25, 99)));
        assertThat(output.rows("SELECT o.counter.f0, o.counter.f1, `value` FROM output o"))
                .containsExactly(Row.of(7L, "x", 3L));
        output.roundTrip(type, new CounterValue<>(Tuple2.of(7L, "x"), 3, 0.25, 99));

        TypeInformation<CounterValue<Long>> numbers = CounterValue.type(Types.LONG);
        output.columns(
                output.env.fromData(numbers, new CounterValue<>(7L, 3, 0.25, 99)),
                "counter BIGINT",
                "value BIGINT NOT NULL",
                "expectedUndercount DOUBLE NOT NULL",
                "timestamp BIGINT NOT NULL");
        output.roundTrip(numbers, new CounterValue<>(7L, 3, 0.25, 99));
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.counter;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.flink.RowContract;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.junit.jupiter.api.Test;

class CounterRowsTest {

    @Test
    void valuesAreRows() throws Exception {
        RowContract.check(
                CounterValue.type(Types.STRING),
                new CounterValue<>("page", -3, 0.25, 1_700_000_000_000L));
        RowContract.check(
                CounterValue.type(Types.TUPLE(Types.LONG, Types.STRING)),
                new CounterValue<>(Tuple2.of(7L, "x"), Long.MAX_VALUE, 0, Long.MIN_VALUE));
    }

    @Test
    void totalsAreRows() throws Exception {
        RowContract.check(
                Types.POJO(CounterTotal.class),
                new CounterTotal(1L << 60, 1e-9),
                CounterTotal.ZERO);
    }

    @Test
    void sumsAreRows() throws Exception {
        RowContract.check(
                CounterUpdate.type(Types.STRING),
                new CounterUpdate<>("a", 1L << 60, 1e-9, 7),
                new CounterUpdate<>("", Long.MIN_VALUE, 0, Long.MAX_VALUE));
    }

    @Test
    void typesOfValuesAreEqualIfThoseOfTheirCountersAre() {
        assertThat(CounterValue.type(Types.STRING))
                .isEqualTo(CounterValue.type(Types.STRING))
                .isNotEqualTo(CounterValue.type(Types.LONG));
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.IllegalConfigurationException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CascadeBackendOptionsTest {

    @ParameterizedTest
    @CsvSource({
        "state.backend.cascade.delegate, forst",
        "state.backend.cascade.false-positive-probability, 0",
        "state.backend.cascade.false-positive-probability, 0.5",
        "state.backend.cascade.capacity, 0",
        "state.backend.cascade.overflow-policy, none",
        "state.backend.cascade.ttl-buckets, 65",
        "state.backend.cascade.memory.fraction, 1",
        "state.backend.cascade.memory.fixed-per-slot, 1kb",
        "state.backend.cascade.buffer-size, 0b",
        "state.backend.cascade.overview-bits-per-key, -1",
        "state.backend.cascade.overview-memory, 0b",
        "state.backend.cascade.summary-bits-per-key, 33",
        "state.backend.cascade.merge-policy, none",
        "state.backend.cascade.merge-threads, 0",
        "state.backend.cascade.transfer-threads, 0",
    })
    void aValueOutOfRangeIsRefusedByTheNameOfItsOption(String key, String value) {
        Configuration config = new Configuration();
        config.setString(key, value);
        assertThatThrownBy(
                        () ->
                                new CascadeStateBackendFactory()
                                        .createFromConfig(config, getClass().getClassLoader()))
                .isInstanceOf(IllegalConfigurationException.class)
                .hasMessageContaining(key);
    }

    @ParameterizedTest
    @CsvSource({
        "deduplicate-state, deduplicate-state, true",
        "deduplicate-state, deduplicate-state-2, false",
        "seen-*, seen-, true",
        "seen-*, seen-a, true",
        "seen-*, unseen-a, false",
        "*flag*, my flags, true",
        "a.c, abc, false",
        "*, anything, true",
    })
    void namesArePatterns(String pattern, String name, boolean matches) {
        assertThat(
                        StateNames.of(CascadeBackendOptions.STATES, List.of("other", pattern))
                                .contains(name))
                .isEqualTo(matches);
    }
}

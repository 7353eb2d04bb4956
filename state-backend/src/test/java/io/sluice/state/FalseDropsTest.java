/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.IllegalConfigurationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FalseDropsTest {

    private static final String DROPS = CascadeBackendOptions.MAX_FALSE_DROPS_PER_DAY.key();
    private static final String NEW_KEYS = CascadeBackendOptions.NEW_KEYS_PER_DAY.key();
    private static final String PROBABILITY =
            CascadeBackendOptions.FALSE_POSITIVE_PROBABILITY.key();

    private static Configuration with(String... keysAndValues) {
        Configuration configuration = new Configuration();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            configuration.setString(keysAndValues[i], keysAndValues[i + 1]);
        }
        return configuration;
    }

    private static double probability(Configuration configuration) {
        return CascadeSettings.from(configuration).falsePositiveProbability();
    }

    @Test
    void theProbabilityIsDropsOverNewKeys() {
        assertThat(probability(with(DROPS, "10", NEW_KEYS, "50000000")))
                .isCloseTo(2e-7, within(1e-20));
        assertThat(probability(with(DROPS, "0.1", NEW_KEYS, "1000"))).isEqualTo(1e-4);
    }

    @Test
    void moreDropsThanAreAllowedAtAllMakeItTheMostThereIs() {
        assertThat(probability(with(DROPS, "1000", NEW_KEYS, "10"))).isBetween(0.49, 0.5);
    }

    @Test
    void withoutThemTheProbabilityIsTheOneThatIsSetOrTheDefault() {
        assertThat(probability(with())).isEqualTo(1e-6);
        assertThat(probability(with(PROBABILITY, "0.01"))).isEqualTo(0.01);
    }

    @Test
    void bothWaysAtOnceAreRefused() {
        assertThatThrownBy(
                        () ->
                                CascadeSettings.from(
                                        with(DROPS, "10", NEW_KEYS, "1000", PROBABILITY, "1e-6")))
                .isInstanceOf(IllegalConfigurationException.class)
                .hasMessageContainingAll(DROPS, PROBABILITY, "10.0", "1.0E-6", "Remove one");
    }

    @Test
    void halfOfItIsRefused() {
        assertThatThrownBy(() -> CascadeSettings.from(with(DROPS, "10")))
                .isInstanceOf(IllegalConfigurationException.class)
                .hasMessageContainingAll(DROPS, NEW_KEYS, PROBABILITY, "Set it to");
        assertThatThrownBy(() -> CascadeSettings.from(with(NEW_KEYS, "10")))
                .isInstanceOf(IllegalConfigurationException.class)
                .hasMessageContainingAll(DROPS, NEW_KEYS, "Set both, or neither");
    }

    @ParameterizedTest
    @CsvSource({"0, 10, max-false", "-1, 10, max-false", "NaN, 10, max-false", "1, 0, new-keys"})
    void whatIsOutOfRangeIsRefusedByItsName(String drops, String newKeys, String named) {
        assertThatThrownBy(() -> CascadeSettings.from(with(DROPS, drops, NEW_KEYS, newKeys)))
                .isInstanceOf(IllegalConfigurationException.class)
                .hasMessageStartingWith("state.backend.cascade." + named);
        assertThatThrownBy(
                        () ->
                                MembershipStateDescriptor.withMaxFalseDropsPerDay(
                                        "seen", Double.parseDouble(drops), Long.parseLong(newKeys)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("seen", named.startsWith("max") ? "drops" : "newKeys");
    }

    @Test
    void aDescriptorMaySayIt() {
        assertThat(
                        MembershipStateDescriptor.withMaxFalseDropsPerDay("seen", 3, 1_000_000)
                                .falsePositiveProbability())
                .hasValue(3e-6);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.flink.OptionException;
import java.time.Duration;
import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReconciliationOptionsTest {

    private static Configuration configuration(String key, String value) {
        Configuration options =
                Configuration.fromMap(
                        Map.of(
                                "sluice.reconcile.replica", "east",
                                "sluice.reconcile.peer", "west",
                                "sluice.reconcile.window", "10 min"));
        options.setString(key, value);
        return options;
    }

    @Test
    void aConfigurationHasAllSettings() {
        ReconcileSettings settings =
                ReconcileSettings.of(configuration("sluice.reconcile.method", "decode"), 3);
        assertThat(settings.replica()).isEqualTo("east");
        assertThat(settings.peer()).isEqualTo("west");
        assertThat(settings.setup().windowMillis()).isEqualTo(Duration.ofMinutes(10).toMillis());
        assertThat(settings.setup().groups()).isEqualTo(128);
        assertThat(settings.setup().scheme()).isEqualTo(3);
        assertThat(settings.method()).isEqualTo(DifferenceMethod.DECODE);
        assertThat(settings.maxMessageBytes()).isEqualTo(900_000);
    }

    @ParameterizedTest
    @CsvSource({
        "replica, ''",
        "peer, east",
        "window, 0 s",
        "false-positive-probability, 0.5",
        "counter-bits, 33",
        "groups, 32769",
        "ttl, 0 s",
        "retry-after, 2 d",
        "max-message, 2 mb",
        "max-waiting-elements, 0",
        "max-early-windows, 0",
        "max-windows, 1",
    })
    void aValueOutOfRangeIsRefusedByTheNameOfItsOption(String name, String value) {
        String key = "sluice.reconcile." + name;
        Reconcile<Long, Long> reconcile =
                Reconcile.by((Long id) -> id).configure(configuration(key, value));
        assertThatThrownBy(reconcile::check)
                .isInstanceOfSatisfying(
                        OptionException.class,
                        e -> assertThat(e.message((option, unused) -> option.key())).contains(key));
    }
}

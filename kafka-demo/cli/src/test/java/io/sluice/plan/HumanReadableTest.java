/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.plan;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HumanReadableTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    0 | 0
                    1 | 1.00
                    0.0432 | 0.0432
                    0.001 | 0.00100
                    9.999e-4 | 1.00e-3
                    9.994e-4 | 9.99e-4
                    1e-6 | 1.00e-6
                    1e-12 | 1.00e-12
                    2.5 | 2.50
                    9.994 | 9.99
                    9.996 | 10.0
                    99.94 | 99.9
                    99.96 | 100
                    100 | 100
                    4320 | 4,320
                    123456789 | 123,456,789
                    1e15 | 1.00e15
                    9.9999e20 | 1.00e21
                    """)
    void aNumberHasThreeDigitsOrAllBeforeThePoint(double number, String text) {
        assertThat(HumanReadable.number(number)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0 ms",
        "999, 999 ms",
        "59999, 59999 ms",
        "60000, 1 min 0 s",
        "3599999, 59 min 59 s",
        "3600000, 1 h 0 min",
        "86400000, 1 d 0 h",
        "9223372036854775807, 106751991167 d 7 h"
    })
    void aTimeHasItsTwoGreatestUnits(long millis, String text) {
        assertThat(HumanReadable.duration(millis)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0 B",
        "1023, 1023 B",
        "1024, 1.0 KiB",
        "1e9, 953.7 MiB",
        "1e30, 867361737988.4 EiB"
    })
    void bytesHaveTheGreatestUnitThatIsNotAboveThem(double bytes, String text) {
        assertThat(HumanReadable.bytes(bytes)).isEqualTo(text);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.record;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class CounterKindTest {
    @Test
    void noTwoServicesAreWrittenTheSame() {
        Set<String> names = new HashSet<>();
        for (long protocol = 0; protocol < 256; protocol++) {
            for (long port : new long[] {0, 1, 443, 65535}) {
                String name = CounterKind.SERVICE.format(protocol << 16 | port);
                assertThat(names.add(name)).as(name).isTrue();
            }
        }
    }

    @Test
    void servicesAreWrittenAsPeopleKnowThem() {
        assertThat(CounterKind.SERVICE.format(6L << 16 | 443)).isEqualTo("tcp/443");
        assertThat(CounterKind.SERVICE.format(17L << 16)).isEqualTo("udp/0");
        assertThat(CounterKind.SERVICE.format(1L << 16)).isEqualTo("icmp");
        assertThat(CounterKind.SERVICE.format(132L << 16 | 2905)).isEqualTo("ip-132/2905");
    }

    @Test
    void addressesOfBothVersionsAreDistinct() {
        assertThat(CounterKind.SOURCE.format(0x0A010203L)).isEqualTo("10.1.2.3");
        assertThat(CounterKind.SOURCE.format(0x20010DB800000000L)).endsWith("/64");
    }
}

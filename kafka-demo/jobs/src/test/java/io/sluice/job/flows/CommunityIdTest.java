/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.flows;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.flink.flow.Address;
import io.sluice.flink.flow.Endpoints;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CommunityIdTest {

    /** The first is of the specification's own captures; the others were computed apart from it. */
    @ParameterizedTest
    @CsvSource({
        "128.232.110.120, 34855, 66.35.250.204, 80, 1:LQU9qZlK+B5F3KDmev6m5PMibrg=",
        "10.0.0.1, 50000, 10.0.0.2, 443, 1:B4H0bMN0Rih3qr9C82AA7esBYLM=",
        "10.0.0.1, 443, 10.0.0.1, 50000, 1:9KYDSfoDz+zbeBZCvQqscCyE6pE=",
        "2001:db8::1, 50000, 2001:db8::2, 443, 1:YXqXufkGr4i6TbJJYF83fvyDLZ8=",
    })
    void itIsThatOfOtherToolsInBothDirections(
            String from, int fromPort, String to, int toPort, String expected) {
        Endpoints ends = new Endpoints(Address.parse(from), fromPort, Address.parse(to), toPort);

        assertThat(CommunityId.of(ends)).isEqualTo(expected);
        assertThat(CommunityId.of(ends.reversed())).isEqualTo(expected);
    }
}

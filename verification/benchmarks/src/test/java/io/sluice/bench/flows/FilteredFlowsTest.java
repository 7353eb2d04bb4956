/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.flows;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.bench.ReportTestCase;
import io.sluice.filter.KeyValueFilter;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class FilteredFlowsTest extends ReportTestCase {

    private PacketTrace trace() throws IOException {
        Path capture = directory.resolve("flows.pcap");
        PacketTrace.generate(capture, 500, SEED);
        return PacketTrace.read(capture);
    }

    /** A filter that knows nothing denies every held flow, and never errs about a new one. */
    @Test
    void eachKindOfErrorIsCountedAsWhatItIs() throws IOException {
        PacketTrace trace = trace();
        int held = trace.packets() - trace.flows();

        FilteredFlows denied =
                FilteredFlows.follow(trace, new ConstantFilter(KeyValueFilter.ABSENT));
        FilteredFlows ambiguous =
                FilteredFlows.follow(trace, new ConstantFilter(KeyValueFilter.AMBIGUOUS));
        FilteredFlows always = FilteredFlows.follow(trace, new ConstantFilter(18));

        assertThat(denied.falsePositives()).isZero();
        assertThat(denied.falseNegatives()).isEqualTo(held);
        assertThat(ambiguous.falsePositives()).isEqualTo(trace.flows());
        assertThat(ambiguous.falseNegatives()).isEqualTo(held);
        assertThat(ambiguous.totalError()).isEqualTo(1);
        assertThat(always.falsePositives()).isEqualTo(trace.flows());
        assertThat(always.falseNegatives()).isZero();
        assertThat(always.wrong()).isBetween(1, held);
        assertThat(always.refused()).isPositive();
    }

    /** Always gives the same answer, and accepts no change. */
    private record ConstantFilter(int answer) implements KeyValueFilter {
        @Override
        public int query(long hash) {
            return answer;
        }

        @Override
        public void insert(long hash, int value) {
            assertThat(answer).isEqualTo(ABSENT);
        }

        @Override
        public boolean update(long hash, int oldValue, int newValue) {
            return false;
        }

        @Override
        public boolean remove(long hash, int value) {
            return false;
        }

        @Override
        public int values() {
            return 22;
        }

        @Override
        public long refused() {
            return 0;
        }

        @Override
        public long sizeInBytes() {
            return 0;
        }
    }
}

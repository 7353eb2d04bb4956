/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.sample.IdSample;
import io.sluice.filter.sample.StoredSample;
import io.sluice.state.restore.CascadeRestore.RestoredSample;
import io.sluice.state.snapshot.MembershipInfo;
import java.util.List;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.memory.OpaqueMemoryResource;
import org.apache.flink.runtime.operators.testutils.MockEnvironment;
import org.apache.flink.runtime.operators.testutils.MockEnvironmentBuilder;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.junit.jupiter.api.Test;

/** What the samples of membership states take from their slot. */
@SuppressWarnings("try") // closing them may be interrupted, says their type
class SampleFactoryTest {

    private static final CascadeSettings SETTINGS = CascadeSettings.from(new Configuration());

    private static final SampleFactory SAMPLES =
            new SampleFactory(SETTINGS, KeyGroupRange.of(0, 127));

    private static final MembershipInfo STATE = new MembershipInfo("seen", 1e-3, 0, "");

    private static StoredSample stored(int groupBits) {
        return new StoredSample(
                Long.MAX_VALUE,
                0,
                0,
                Long.MIN_VALUE,
                Long.MIN_VALUE,
                6_400,
                64,
                0,
                groupBits,
                new long[0]);
    }

    /** Takes all that samples may take, and gives it back. */
    private static long freeBytes(SlotResources slot) {
        long taken = slot.takeSample(Long.MAX_VALUE);
        if (taken == 0) {
            return 0;
        }
        long all = taken + freeBytes(slot);
        slot.giveSample(taken);
        return all;
    }

    @Test
    void aRefusedSampleGivesTheSlotItsMemoryBack() throws Exception {
        try (MockEnvironment env = new MockEnvironmentBuilder().build();
                OpaqueMemoryResource<SlotResources> lease =
                        SlotResources.acquire(env, 1, SETTINGS)) {
            SlotResources slot = lease.getResourceHandle();
            long free = freeBytes(slot);
            RestoredSample readable = new RestoredSample(0, stored(15));
            RestoredSample ofAnotherKind = new RestoredSample(64, stored(0));
            assertThatThrownBy(() -> SAMPLES.create(STATE, List.of(readable, ofAnotherKind), slot))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("of another kind");
            assertThat(freeBytes(slot)).isEqualTo(free);

            IdSample sample = SAMPLES.create(STATE, List.of(readable), slot);
            assertThat(sample.error().firsts()).isEqualTo(100);
            assertThat(freeBytes(slot)).isLessThan(free);
            sample.close();
            assertThat(freeBytes(slot)).isEqualTo(free);
        }
    }
}

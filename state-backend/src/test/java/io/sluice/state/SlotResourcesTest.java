/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.runtime.memory.MemoryManager;
import org.apache.flink.runtime.memory.OpaqueMemoryResource;
import org.apache.flink.runtime.operators.testutils.MockEnvironment;
import org.apache.flink.runtime.operators.testutils.MockEnvironmentBuilder;
import org.junit.jupiter.api.Test;

/** How much of a slot's memory its filters take. */
@SuppressWarnings("try") // closing them may be interrupted, says their type
class SlotResourcesTest {

    private static final long MANAGED_BYTES = 64L << 20;

    private static final long MB = 1L << 20;

    @Test
    void writeBuffersArePartOfTheManagedMemoryThatIsReserved() throws Exception {
        try (MockEnvironment env = environment()) {
            MemoryManager memory = env.getMemoryManager();
            OpaqueMemoryResource<SlotResources> lease = acquire(env, 0.5);
            assertThat(lease.getSize()).isEqualTo(MANAGED_BYTES / 2);
            assertThat(memory.availableMemory()).isEqualTo(MANAGED_BYTES / 2);
            SlotResources slot = lease.getResourceHandle();
            long cacheBytes = MANAGED_BYTES / 8 - MANAGED_BYTES / 64;
            assertThat(slot.shared().pageCache().budgetBytes()).isEqualTo(cacheBytes);
            long taken = 0;
            for (int state = 0; state < 3; state++) {
                taken += slot.takeBuffers(32 * MB, 1);
            }
            assertThat(taken).isEqualTo((4 + 2 + 1) * MB).isLessThan(MANAGED_BYTES / 8);
            lease.close();
            assertThat(memory.verifyEmpty()).isTrue();
        }
    }

    @Test
    void aStateGetsWhatItAsksForIfThereIsTwiceAsMuch() throws Exception {
        try (MockEnvironment env = environment();
                OpaqueMemoryResource<SlotResources> lease = acquire(env, 1)) {
            assertThat(lease.getResourceHandle().takeBuffers(7 * MB, 1)).isEqualTo(7 * MB);
        }
    }

    @Test
    void whatIsGivenBackIsThereForOthersAndTheLeastIsThereForAll() throws Exception {
        try (MockEnvironment env = environment();
                OpaqueMemoryResource<SlotResources> lease = acquire(env, 1)) {
            SlotResources slot = lease.getResourceHandle();
            List<Long> taken = new ArrayList<>();
            for (int state = 0; state < 50; state++) {
                taken.add(slot.takeBuffers(32 * MB, 1));
            }
            assertThat(taken.get(49)).isEqualTo(MB / 4);
            assertThat(slot.takeBuffers(32 * MB, MB)).isEqualTo(MB);
            slot.giveBuffers(MB);
            taken.forEach(slot::giveBuffers);
            assertThat(slot.takeBuffers(32 * MB, 1)).isEqualTo(taken.get(0));
        }
    }

    @Test
    void manyStatesTakeNoMoreThanWriteBuffersAndOverviewsHaveAndThenThereIsNone() throws Exception {
        try (MockEnvironment env = environment();
                OpaqueMemoryResource<SlotResources> lease = acquire(env, 0.5)) {
            SlotResources slot = lease.getResourceHandle();
            List<Long> taken = new ArrayList<>();
            for (long got = take(slot); got > 0; got = take(slot)) {
                taken.add(got);
            }
            long sum = taken.stream().mapToLong(Long::longValue).sum();
            assertThat(taken).hasSizeGreaterThan(150).allMatch(bytes -> bytes >= 4096);
            assertThat(sum).isBetween(24 * MB - 4096, 24 * MB);
            slot.giveBuffers(taken.get(0));
            assertThat(take(slot)).isPositive();
        }
    }

    private static long take(SlotResources slot) {
        return slot.takeBuffers(32 * MB, 4096);
    }

    @Test
    void watchedKeysHaveAnEighthOfThePageCacheAndNothingBelowTheLeast() throws Exception {
        try (MockEnvironment env = environment();
                OpaqueMemoryResource<SlotResources> lease = acquire(env, 1)) {
            SlotResources slot = lease.getResourceHandle();
            long part = MANAGED_BYTES / 32;
            assertThat(slot.takeSample(64 * MB)).isEqualTo(part / 2);
            assertThat(slot.takeSample(100_000)).isEqualTo(1 << 16);
            long taken = part / 2 + (1 << 16);
            List<Long> others = new ArrayList<>();
            for (long got = slot.takeSample(MB); got > 0; got = slot.takeSample(MB)) {
                others.add(got);
                taken += got;
            }
            assertThat(taken).isLessThanOrEqualTo(part);
            assertThat(others).last().isEqualTo(SlotResources.MIN_SAMPLE_BYTES);
            others.forEach(slot::giveSample);
            assertThat(slot.takeSample(64 * MB)).isEqualTo(others.get(0));
        }
    }

    @Test
    void withoutManagedMemoryTheFixedSizeIsDividedAlike() throws Exception {
        CascadeSettings settings =
                CascadeSettings.from(
                        new Configuration()
                                .set(CascadeBackendOptions.USE_MANAGED_MEMORY, false)
                                .set(
                                        CascadeBackendOptions.FIXED_MEMORY,
                                        MemorySize.ofMebiBytes(16)));
        try (MockEnvironment env = environment();
                OpaqueMemoryResource<SlotResources> lease =
                        SlotResources.acquire(env, 1, settings)) {
            assertThat(env.getMemoryManager().verifyEmpty()).isTrue();
            assertThat(lease.getResourceHandle().takeBuffers(32 * MB, 1)).isEqualTo(2 * MB);
        }
    }

    private static MockEnvironment environment() {
        return new MockEnvironmentBuilder().setManagedMemorySize(MANAGED_BYTES).build();
    }

    private static OpaqueMemoryResource<SlotResources> acquire(MockEnvironment env, double fraction)
            throws Exception {
        return SlotResources.acquire(env, fraction, CascadeSettings.from(new Configuration()));
    }
}

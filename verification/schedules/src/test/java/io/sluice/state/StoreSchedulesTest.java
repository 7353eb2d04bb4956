/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.cascade.CascadeFilter;
import io.sluice.filter.cascade.CascadeOptions;
import io.sluice.filter.cascade.SyncPolicy;
import io.sluice.filter.sample.IdSample;
import io.sluice.filter.storage.CrashableDirectory;
import io.sluice.schedules.OpenFiles;
import io.sluice.schedules.Schedules;
import io.sluice.state.snapshot.MembershipInfo;
import io.sluice.state.snapshot.PinnedState;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.operators.testutils.MockEnvironment;
import org.apache.flink.runtime.operators.testutils.MockEnvironmentBuilder;
import org.junit.jupiter.api.Test;

/** States of a slot whose task ends while checkpoints still need them. */
@SuppressWarnings("try") // closing an environment may be interrupted, says its type
class StoreSchedulesTest {

    /** What is done with a task's filters. */
    private interface Body {
        void run(MockEnvironment env, FilterHome home, OpenFiles files) throws Exception;
    }

    private static void explore(String name, Body body) {
        Schedules.explore(
                name,
                () -> {
                    long before = NativeMemory.allocatedBytes();
                    OpenFiles files = new OpenFiles(new CrashableDirectory());
                    try (MockEnvironment env =
                            new MockEnvironmentBuilder().setManagedMemorySize(32L << 20).build()) {
                        body.run(
                                env,
                                new FilterHome(
                                        CascadeSettings.from(new Configuration()),
                                        env,
                                        "operator",
                                        0.5,
                                        new MembershipMetrics(new UnregisteredMetricsGroup())),
                                files);
                        assertThat(env.getMemoryManager().verifyEmpty()).isTrue();
                    }
                    assertThat(files.open()).isEmpty();
                    assertThat(NativeMemory.allocatedBytes()).isEqualTo(before);
                });
    }

    private static MembershipStore store(FilterHome home, OpenFiles files) throws IOException {
        FilterHome.Tenancy tenancy = home.moveIn("seen", 1);
        return new MembershipStore(
                CascadeFilter.open(
                        files,
                        CascadeOptions.builder()
                                .capacity(7)
                                .bufferBytes(1 << 10)
                                .bufferMemory(NativeMemory::new)
                                .overviewBitsPerKey(0)
                                .syncPolicy(SyncPolicy.NEVER)
                                .resources(tenancy.slot().shared())
                                .build()),
                new MembershipInfo("seen", 1e-3, 0, ""),
                Path.of("unused"),
                IdSample.none(),
                tenancy);
    }

    @Test
    void memoryStaysUntilTheLastCheckpointIsDone() {
        explore(
                "store",
                (env, home, files) -> {
                    MembershipStore store = store(home, files);
                    store.filter().insert(0, 1);
                    PinnedState first = store.pin();
                    store.filter().insert(0, 2);
                    PinnedState second = store.pin();
                    Schedules.together(
                            () -> {
                                store.close();
                                home.close();
                            },
                            () -> write(env, first),
                            second::close);
                });
    }

    @Test
    void aStateThatWasReplacedIsClosedByItsLastCheckpointOrByTheTask() {
        explore(
                "retire",
                (env, home, files) -> {
                    MembershipStore store = store(home, files);
                    store.filter().insert(0, 1);
                    PinnedState first = store.pin();
                    Schedules.together(
                            () -> {
                                store.retire();
                                store.close();
                                home.close();
                            },
                            first::close,
                            () -> assertThat(store.published().lookups()).isZero());
                });
    }

    /** Fails if the filter was closed before, as it may. */
    private static void write(MockEnvironment env, PinnedState state) throws IOException {
        try (state) {
            assertThat(env.getMemoryManager().verifyEmpty()).isFalse();
            state.snapshot().prepare();
            assertThat(state.snapshot().files()).hasSize(1);
            assertThat(env.getMemoryManager().verifyEmpty()).isFalse();
        } catch (IOException e) {
            assertThat(e).hasMessageContaining("was closed before its snapshot was prepared");
        }
    }

    @Test
    void whatIsGrantedIsNeverMoreThanThereIsAndComesBack() {
        explore(
                "grants",
                (env, home, files) -> {
                    SlotResources slot = home.resources();
                    long buffers = half(slot);
                    long overview = slot.reserve(Long.MAX_VALUE, 1);
                    slot.release(overview);
                    Schedules.together(
                            () -> takeAndGive(slot), () -> takeAndGive(slot), () -> sample(slot));
                    assertThat(half(slot)).isEqualTo(buffers);
                    assertThat(slot.reserve(Long.MAX_VALUE, 1)).isEqualTo(overview);
                    slot.release(overview);
                    home.close();
                });
    }

    private static long half(SlotResources slot) {
        long taken = slot.takeBuffers(Long.MAX_VALUE, 1);
        slot.giveBuffers(taken);
        return taken;
    }

    private static void takeAndGive(SlotResources slot) {
        long taken = slot.takeBuffers(1 << 20, 1);
        long granted = slot.reserve(1 << 20, 1);
        slot.release(granted);
        slot.giveBuffers(taken);
    }

    private static void sample(SlotResources slot) {
        slot.giveSample(slot.takeSample(1 << 16));
    }
}

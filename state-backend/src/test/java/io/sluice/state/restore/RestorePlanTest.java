/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.restore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.sluice.state.snapshot.CompositeManifest;
import io.sluice.state.snapshot.CompositeManifest.DelegateKind;
import io.sluice.state.snapshot.CompositeManifest.DelegatePart;
import io.sluice.state.snapshot.CompositeManifest.FilePart;
import io.sluice.state.snapshot.CompositeManifest.StatePart;
import io.sluice.state.snapshot.MembershipInfo;
import io.sluice.state.snapshot.StoredParts;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeOffsets;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;
import org.junit.jupiter.api.Test;

/** What is read to restore a subtask: parts of handles that hold some of its key groups. */
class RestorePlanTest {

    private static final FilePart SAMPLE = new FilePart("a.sample", 1, 2);

    private static KeyedStateHandle handle(String name, KeyGroupRange range) {
        return new KeyGroupsStateHandle(
                new KeyGroupRangeOffsets(range), new ByteStreamStateHandle(name, new byte[0]));
    }

    /** Parts of a handle: its delegate's handle has the asked range in its name. */
    private record Parts(
            KeyGroupRange keyGroupRange,
            long checkpointId,
            Map<String, StreamStateHandle> files,
            boolean hasDelegate)
            implements StoredParts {
        @Override
        public Optional<Path> localFile(String name) {
            return name.startsWith("local") ? Optional.of(Path.of(name)) : Optional.empty();
        }

        @Override
        public Optional<KeyedStateHandle> delegate(DelegatePart part, KeyGroupRange wanted) {
            return hasDelegate
                    ? Optional.of(handle(part.type(), keyGroupRange.getIntersection(wanted)))
                    : Optional.empty();
        }

        @Override
        public Optional<KeyedStateHandle> heap(long[] offsets, KeyGroupRange wanted) {
            return hasDelegate
                    ? Optional.of(
                            handle("heap of " + offsets[0], keyGroupRange.getIntersection(wanted)))
                    : Optional.empty();
        }
    }

    private static StatePart state(String name, double fpp, FilePart sample, String... files) {
        return new StatePart(
                new MembershipInfo(name, fpp, 0, ""),
                (name + " " + fpp).getBytes(java.nio.charset.StandardCharsets.UTF_8),
                sample,
                java.util.Arrays.stream(files).map(file -> new FilePart(file, 1, 2)).toList());
    }

    private static RestorePlan.Source source(
            int first, int last, long checkpoint, boolean hasDelegate, StatePart... states) {
        Map<String, StreamStateHandle> files = new java.util.HashMap<>();
        for (StatePart state : states) {
            for (FilePart file : state.files()) {
                files.put(file.name(), new ByteStreamStateHandle(file.name(), new byte[0]));
            }
        }
        KeyGroupRange range = KeyGroupRange.of(first, last);
        return new RestorePlan.Source(
                handle("composite", range),
                new Parts(range, checkpoint, files, hasDelegate),
                new CompositeManifest(
                        128,
                        first,
                        last,
                        "scheme",
                        new byte[0],
                        new DelegatePart(DelegateKind.NONE, "delegate of " + first, new long[0]),
                        new long[] {first},
                        List.of(states)));
    }

    @Test
    void filtersOfOneStateAreJoinedInTheOrderOfTheirHandles() {
        RestorePlan plan =
                RestorePlan.of(
                        List.of(
                                source(0, 9, 7, true, state("a", 0.1, SAMPLE, "1", "local 2")),
                                source(
                                        10,
                                        19,
                                        8,
                                        true,
                                        state("a", 0.2, null, "3"),
                                        state("b", 0.3, null))),
                        List.of(),
                        KeyGroupRange.of(5, 14));
        assertThat(plan.delegateHandles())
                .extracting(KeyedStateHandle::getKeyGroupRange)
                .containsExactly(KeyGroupRange.of(5, 9), KeyGroupRange.of(10, 14));
        assertThat(plan.heapHandles())
                .extracting(KeyedStateHandle::getKeyGroupRange)
                .containsExactly(KeyGroupRange.of(5, 9), KeyGroupRange.of(10, 14));
        assertThat(plan.states()).containsOnlyKeys("a", "b");
        RestorePlan.StatePlan a = plan.states().get("a");
        assertThat(a.info().falsePositiveProbability()).as("of the last handle").isEqualTo(0.2);
        assertThat(a.manifests()).extracting(String::new).containsExactly("a 0.1", "a 0.2");
        assertThat(a.samples())
                .containsExactly(
                        new RestorePlan.SamplePlan(0, SAMPLE),
                        new RestorePlan.SamplePlan(10, null));
        assertThat(a.files())
                .extracting(file -> file.part().name())
                .containsExactly("1", "local 2", "a.sample", "3");
        assertThat(a.files())
                .extracting(RestorePlan.FilePlan::checkpointId)
                .containsExactly(7L, 7L, 7L, 8L);
        assertThat(a.files())
                .extracting(RestorePlan.FilePlan::local)
                .containsExactly(
                        Optional.empty(),
                        Optional.of(Path.of("local 2")),
                        Optional.empty(),
                        Optional.empty());
        assertThat(a.files().get(0).handle().getStreamStateHandleID().getKeyString())
                .isEqualTo("1");
        assertThat(plan.states().get("b").manifests()).hasSize(1);
        assertThat(plan.states().get("b").files()).isEmpty();
    }

    @Test
    void whatHasNoneOfTheKeyGroupsIsNotRead() {
        RestorePlan plan =
                RestorePlan.of(
                        List.of(
                                source(0, 4, 7, true, state("a", 0.1, null, "1")),
                                source(5, 9, 7, false, state("b", 0.1, null, "2"))),
                        List.of(),
                        KeyGroupRange.of(5, 5));
        assertThat(plan.states()).containsOnlyKeys("b");
        assertThat(plan.delegateHandles()).as("nothing was stored by the delegate").isEmpty();
        assertThat(plan.heapHandles()).as("nothing was there").isEmpty();
    }

    @Test
    void theDelegatesOwnHandlesComeFirst() {
        KeyedStateHandle other = handle("other", KeyGroupRange.of(0, 9));
        RestorePlan plan =
                RestorePlan.of(
                        List.of(source(0, 9, 7, true)), List.of(other), KeyGroupRange.of(0, 9));
        assertThat(plan.delegateHandles()).hasSize(2).first().isSameAs(other);
        assertThat(plan.states()).isEmpty();
    }

    @Test
    void aFileThatIsNamedButNotThereIsToldByItsName() {
        RestorePlan.Source whole = source(0, 9, 7, true, state("a", 0.1, null, "lost"));
        RestorePlan.Source without =
                new RestorePlan.Source(
                        whole.handle(),
                        new Parts(KeyGroupRange.of(0, 9), 7, Map.of(), true),
                        whole.manifest());
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> RestorePlan.of(List.of(without), List.of(), KeyGroupRange.of(0, 9)))
                .withMessageContaining("File lost");
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.sluice.filter.Seeds;
import io.sluice.filter.cascade.CascadeFilter;
import io.sluice.filter.cascade.CascadeOptions;
import io.sluice.filter.cascade.CascadeOptionsBuilder;
import io.sluice.filter.cascade.CascadeSnapshot;
import io.sluice.state.snapshot.CompositeManifest;
import io.sluice.state.snapshot.CompositeManifest.DelegateKind;
import io.sluice.state.snapshot.CompositeManifest.DelegatePart;
import io.sluice.state.snapshot.CompositeManifest.FilePart;
import io.sluice.state.snapshot.CompositeManifest.StatePart;
import io.sluice.state.snapshot.MembershipInfo;
import io.sluice.state.snapshot.NeedsCascadeStateBackend;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.ListSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.state.IncrementalKeyedStateHandle.HandleAndLocalPath;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Level files of filters with known contents are compared. */
class FlagsReconcilerTest {

    private static final int KEY_GROUPS = 12;
    private static final long START = 1_000_000;
    private static final Duration TIME_TO_LIVE = Duration.ofSeconds(10);

    @TempDir private Path folder;

    private final Random random = new Random(Seeds.random().nextLong());
    private final List<Problem> problems = new ArrayList<>();
    private int filters;

    /** What a subtask's backend stores. */
    private final class Region implements Closeable {
        private final List<CascadeFilter> filters = new ArrayList<>();
        private final List<KeyGroupRange> ranges = new ArrayList<>();
        private TypeSerializer<?> keys = LongSerializer.INSTANCE;
        private String keyScheme = "number";
        private String namespaceScheme = "";
        private final double fpp;

        /** Makes the filters of the subtasks. */
        Region(int subtasks, double fpp, Consumer<CascadeOptionsBuilder> change)
                throws IOException {
            this.fpp = fpp;
            for (int i = 0; i < subtasks; i++) {
                KeyGroupRange range =
                        KeyGroupRangeAssignment.computeKeyGroupRangeForOperatorIndex(
                                KEY_GROUPS, subtasks, i);
                CascadeOptionsBuilder options =
                        CascadeOptions.builder()
                                .keyGroups(range.getStartKeyGroup(), range.getNumberOfKeyGroups())
                                .partOf(KEY_GROUPS)
                                .falsePositiveProbability(fpp)
                                .capacity(20_000)
                                .bufferBytes(1 << 14)
                                .pageCacheBytes(1 << 22);
                change.accept(options);
                ranges.add(range);
                filters.add(
                        CascadeFilter.open(
                                folder.resolve("filter" + FlagsReconcilerTest.this.filters++),
                                options.build()));
            }
        }

        private CascadeFilter of(int keyGroup) {
            for (int i = 0; i < ranges.size(); i++) {
                if (ranges.get(i).contains(keyGroup)) {
                    return filters.get(i);
                }
            }
            throw new AssertionError(keyGroup);
        }

        void add(long hash) {
            of(keyGroup(hash)).add(keyGroup(hash), hash);
        }

        void remove(long hash) {
            of(keyGroup(hash)).remove(keyGroup(hash), hash);
        }

        void advanceTo(long time) {
            filters.forEach(filter -> filter.advanceTo(time));
        }

        Map<String, StoredFlags> store() throws IOException {
            OperatorState operator =
                    new OperatorState(null, null, new OperatorID(), filters.size(), KEY_GROUPS);
            for (int i = 0; i < filters.size(); i++) {
                operator.putState(
                        i,
                        OperatorSubtaskState.builder()
                                .setManagedKeyedState(handle(ranges.get(i), filters.get(i)))
                                .build());
            }
            return StoredFlags.of(
                    operator, FlagsReconcilerTest.class.getClassLoader(), problems::add);
        }

        private IncrementalRemoteKeyedStateHandle handle(KeyGroupRange range, CascadeFilter filter)
                throws IOException {
            List<HandleAndLocalPath> files = new ArrayList<>();
            List<FilePart> parts = new ArrayList<>();
            byte[] filterManifest;
            try (CascadeSnapshot snapshot = filter.snapshot()) {
                snapshot.prepare();
                filterManifest = snapshot.manifest();
                for (CascadeSnapshot.File file : snapshot.files()) {
                    try (InputStream in = file.open()) {
                        byte[] bytes = in.readAllBytes();
                        parts.add(new FilePart(file.name(), bytes.length, 0));
                        files.add(
                                HandleAndLocalPath.of(
                                        new ByteStreamStateHandle(file.name(), bytes),
                                        "cascade/" + file.name()));
                    }
                }
            }
            DataOutputSerializer serializer = new DataOutputSerializer(64);
            TypeSerializerSnapshot.writeVersionedSnapshot(serializer, keys.snapshotConfiguration());
            CompositeManifest manifest =
                    new CompositeManifest(
                            KEY_GROUPS,
                            range.getStartKeyGroup(),
                            range.getEndKeyGroup(),
                            keyScheme,
                            serializer.getCopyOfBuffer(),
                            new DelegatePart(DelegateKind.NONE, "hashmap", new long[0]),
                            new long[0],
                            List.of(
                                    new StatePart(
                                            new MembershipInfo(
                                                    "flags",
                                                    fpp,
                                                    TIME_TO_LIVE.toMillis(),
                                                    namespaceScheme),
                                            filterManifest,
                                            null,
                                            parts)));
            return new IncrementalRemoteKeyedStateHandle(
                    UUID.randomUUID(),
                    range,
                    1,
                    files,
                    List.of(),
                    new ByteStreamStateHandle(
                            "manifest" + range,
                            NeedsCascadeStateBackend.before(manifest.toBytes())));
        }

        @Override
        public void close() throws IOException {
            for (CascadeFilter filter : filters) {
                filter.close();
            }
        }
    }

    private static int keyGroup(long hash) {
        return Math.floorMod(Long.hashCode(hash), KEY_GROUPS);
    }

    private static void living(CascadeOptionsBuilder options) {
        options.timeToLive(TIME_TO_LIVE, 4);
    }

    private FlagsAgreement compare(Region a, Region b) throws IOException {
        return FlagsReconciler.compare(a.store(), b.store(), problems::add).get(0);
    }

    private FlagsAgreement compare(Map<String, StoredFlags> a, Map<String, StoredFlags> b)
            throws IOException {
        return FlagsReconciler.compare(a, b, problems::add).get(0);
    }

    private static long count(Set<Long> of, Set<Long> others, boolean contained) {
        return of.stream().filter(hash -> others.contains(hash) == contained).count();
    }

    /** Adds most of the hashes, and removes some of those. */
    private Set<Long> fill(Region region, long[] hashes) {
        Set<Long> held = new HashSet<>();
        for (long hash : hashes) {
            if (random.nextInt(10) > 0) {
                region.add(hash);
                held.add(hash);
            }
        }
        for (Long hash : List.copyOf(held)) {
            if (random.nextInt(20) == 0) {
                region.remove(hash);
                held.remove(hash);
            }
        }
        return held;
    }

    @Test
    void exactlyTheKeysThatOnlyOneHoldsAreCounted() throws IOException {
        long[] hashes = random.longs(20_000).toArray();
        // With another probability and capacity, entries keep other numbers of bits.
        try (Region a = new Region(1, 1e-9, options -> {});
                Region b = new Region(5, 1e-8, options -> options.capacity(1_000_000))) {
            Set<Long> inA = fill(a, hashes);
            Set<Long> inB = fill(b, hashes);

            FlagsAgreement agreement = compare(a, b);

            assertThat(problems).isEmpty();
            assertThat(agreement.refused()).isNull();
            assertThat(agreement.agrees()).isFalse();
            assertThat(agreement.both()).isEqualTo(count(inA, inB, true));
            assertThat(agreement.onlyA()).isEqualTo(count(inA, inB, false));
            assertThat(agreement.onlyB()).isEqualTo(count(inB, inA, false));
            assertThat(agreement.otherOptions())
                    .containsExactly("falsePositiveProbability is 1.0E-9 in A and 1.0E-8 in B");
            assertThat(agreement.buckets()).isEmpty();
            assertThat(agreement.missing()).isEmpty();
            assertThat(agreement.keyGroups())
                    .hasSize(KEY_GROUPS)
                    .allSatisfy(
                            group -> {
                                Set<Long> ofA = of(group.keyGroup(), inA);
                                Set<Long> ofB = of(group.keyGroup(), inB);
                                assertThat(group.both()).isEqualTo(count(ofA, ofB, true));
                                assertThat(group.onlyA()).isEqualTo(count(ofA, ofB, false));
                                assertThat(group.onlyB()).isEqualTo(count(ofB, ofA, false));
                            });
            assertThat(compare(a, a).agrees()).isTrue();
            assertThat(compare(b, b).both()).isEqualTo(inB.size());
        }
    }

    private static Set<Long> of(int keyGroup, Set<Long> hashes) {
        Set<Long> of = new HashSet<>(hashes);
        of.removeIf(hash -> keyGroup(hash) != keyGroup);
        return of;
    }

    @Test
    void whatOnlyOneHoldsIsCountedByAgeAndWhatHasExpiredInTheOtherApart() throws IOException {
        long[] hashes = random.longs(40).toArray();
        try (Region a = new Region(2, 1e-9, FlagsReconcilerTest::living);
                Region b = new Region(3, 1e-9, FlagsReconcilerTest::living)) {
            a.advanceTo(START);
            b.advanceTo(START);
            add(a, hashes, 0, 10);
            add(b, hashes, 0, 10);
            a.advanceTo(START + 2_500);
            b.advanceTo(START + 2_500);
            add(a, hashes, 10, 17);
            add(b, hashes, 17, 20);
            a.advanceTo(START + 5_000);
            add(a, hashes, 20, 40);
            // The first bucket has expired here, and not there.
            b.advanceTo(START + 12_500);
            add(b, hashes, 20, 38);

            FlagsAgreement agreement = compare(a, b);

            assertThat(agreement.both()).isEqualTo(18);
            assertThat(agreement.expiredA()).isEqualTo(10);
            assertThat(agreement.onlyA()).isEqualTo(9);
            assertThat(agreement.onlyB()).isEqualTo(3);
            assertThat(agreement.expiredB()).isZero();
            assertThat(agreement.buckets())
                    .extracting(
                            FlagsAgreement.Bucket::endMillis,
                            FlagsAgreement.Bucket::onlyA,
                            FlagsAgreement.Bucket::onlyB)
                    .containsExactly(tuple(START + 5_000, 7L, 3L), tuple(START + 7_500, 2L, 0L));
            FlagsAgreement reverse = compare(b, a);
            assertThat(reverse.expiredB()).isEqualTo(10);
            assertThat(reverse.onlyB()).isEqualTo(9);
        }
    }

    private static void add(Region region, long[] hashes, int from, int to) {
        for (int i = from; i < to; i++) {
            region.add(hashes[i]);
        }
    }

    @Test
    void fingerprintsOfAnotherKindAreRefusedByNameWithBothValues() throws IOException {
        try (Region a = new Region(1, 1e-9, options -> {});
                Region b = new Region(1, 1e-9, options -> {})) {
            a.add(1);
            b.add(1);
            b.keys = StringSerializer.INSTANCE;
            assertThat(compare(a, b).refused())
                    .containsPattern("LongSerializerSnapshot [0-9a-f]{8} in A")
                    .containsPattern("StringSerializerSnapshot [0-9a-f]{8} in B");
            b.keys = new ListSerializer<>(LongSerializer.INSTANCE);
            Region other = new Region(1, 1e-9, options -> {});
            try (other) {
                other.add(1);
                other.keys = new ListSerializer<>(StringSerializer.INSTANCE);
                assertThat(compare(b, other).refused())
                        .as("the same serializer of other elements")
                        .containsPattern("ListSerializerSnapshot [0-9a-f]{8} in A")
                        .containsPattern("ListSerializerSnapshot [0-9a-f]{8} in B");
            }
            b.keys = LongSerializer.INSTANCE;
            b.keyScheme = "serialized";
            assertThat(compare(a, b).refused()).contains("'number'", "'serialized'");
            b.keyScheme = "number";
            b.namespaceScheme = "string";
            assertThat(compare(a, b).refused()).contains("namespaces '' in A and 'string' in B");
            assertThat(compare(a.store(), Map.of()).refused()).isEqualTo("is in filters only in A");
            assertThat(compare(Map.of(), b.store()).refused()).isEqualTo("is in filters only in B");
        }
        try (Region a = new Region(1, 1e-9, options -> {});
                Region b = new Region(1, 1e-9, options -> options.partOf(2 * KEY_GROUPS))) {
            a.add(1);
            b.add(1);
            assertThat(compare(a, b).refused()).contains("divided into [", "parts in A", "in B");
        }
    }

    @Test
    void keyGroupsThatOnlyOneHasAreNotSaidToAgree() throws IOException {
        try (Region a = new Region(3, 1e-9, options -> {});
                Region b = new Region(3, 1e-9, options -> {})) {
            b.filters.remove(1).close();
            b.ranges.remove(1);

            FlagsAgreement agreement = compare(a, b);

            assertThat(agreement.missing()).containsExactly(4, 5, 6, 7);
            assertThat(agreement.agrees()).isFalse();
        }
    }
}

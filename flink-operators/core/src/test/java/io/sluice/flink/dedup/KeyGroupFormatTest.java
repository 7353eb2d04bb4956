/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.forgetful.ForgetfulFilter;
import io.sluice.filter.forgetful.MemoryBudget;
import io.sluice.filter.format.CorruptFilterException;
import io.sluice.filter.format.Damage;
import io.sluice.filter.format.UnsupportedFormatException;
import io.sluice.filter.hash.Hashing;
import io.sluice.filter.sample.StoredSample;
import io.sluice.flink.runtime.KeyGroupedState;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import org.apache.flink.runtime.state.KeyGroupStatePartitionStreamProvider;
import org.junit.jupiter.api.Test;

/** A key group in raw keyed state: golden files, which must stay readable for ever, and damage. */
class KeyGroupFormatTest {

    private static byte[] golden(String name) throws IOException {
        try (InputStream in =
                KeyGroupFormatTest.class.getResourceAsStream("/golden/dedup/" + name)) {
            return in.readAllBytes();
        }
    }

    private static KeyGroupedState<Deduplicator> restored(int keyGroup, InputStream in)
            throws IOException {
        KeyGroupedState<Deduplicator> state =
                GoldenKeyGroups.state(keyGroup, new MemoryBudget(1 << 20));
        state.restore(List.of(new KeyGroupStatePartitionStreamProvider(in, keyGroup)));
        return state;
    }

    @Test
    void readsTheGoldenKeyGroup() throws IOException {
        byte[] bytes = golden("v5-key-group.bin");
        Deduplicator group =
                restored(GoldenKeyGroups.WITH_IDS, new ByteArrayInputStream(bytes))
                        .peek(GoldenKeyGroups.WITH_IDS);
        assertThat(group.clock()).isEqualTo(GoldenKeyGroups.CLOCK);
        assertThat(group.idsHeld()).isEqualTo(GoldenKeyGroups.IDS);
        assertThat(group.measuredError().firsts()).isPositive();
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        group.writeTo(written);
        byte[] body = written.toByteArray();
        byte[] stored = Arrays.copyOfRange(bytes, bytes.length - body.length, bytes.length);
        assertThat(inOrder(body)).isEqualTo(inOrder(stored));
        for (long id = 0; id < GoldenKeyGroups.IDS; id++) {
            assertThat(group.decide(Hashing.hash(id), id)).isEqualTo(Verdict.DUPLICATE);
        }
    }

    /** The ids of a sample are written in any order, which a secret of its table decides. */
    static byte[] inOrder(byte[] body) throws IOException {
        ByteArrayInputStream in = new ByteArrayInputStream(body);
        DeduplicatorFormat.header(DeduplicatorFormat.open(in, "body"));
        ByteArrayOutputStream ordered = new ByteArrayOutputStream();
        ordered.write(body, 0, body.length - in.available());
        StoredSample sample = StoredSample.readFrom(in, "body");
        long[] entries = sample.entries();
        long[][] pairs = new long[sample.size()][];
        Arrays.setAll(pairs, i -> new long[] {entries[2 * i], entries[2 * i + 1]});
        Arrays.sort(pairs, Arrays::compare);
        for (int i = 0; i < pairs.length; i++) {
            System.arraycopy(pairs[i], 0, entries, 2 * i, 2);
        }
        sample.writeTo(ordered);
        in.transferTo(ordered);
        return ordered.toByteArray();
    }

    @Test
    void readsTheGoldenKeyGroupWithoutIds() throws IOException {
        InputStream in = new ByteArrayInputStream(golden("v5-empty-key-group.bin"));
        assertThat(restored(GoldenKeyGroups.WITHOUT_IDS, in).peek(GoldenKeyGroups.WITHOUT_IDS))
                .isNull();
    }

    @Test
    void refusesTheFirstVersionWhichDidNotSayWhatItsIdsWere() {
        assertThatThrownBy(
                        () ->
                                restored(
                                        GoldenKeyGroups.WITH_IDS,
                                        new ByteArrayInputStream(golden("v1-key-group.bin"))))
                .isInstanceOf(UnsupportedFormatException.class)
                .hasMessageContaining("format version 1");
    }

    @Test
    void refusesEveryFlippedByteAndEveryPrefix() throws IOException {
        Damage.isAlwaysRefused(
                golden("v5-key-group.bin"), (in, source) -> restored(GoldenKeyGroups.WITH_IDS, in));
        Damage.isAlwaysRefused(
                golden("v5-empty-key-group.bin"),
                (in, source) -> restored(GoldenKeyGroups.WITHOUT_IDS, in));
    }

    /** Reading it would take minutes with a large sample, and days with more of them. */
    @Test
    void refusesASampleWithTheSameIdManyTimes() throws IOException {
        long[] entries = new long[20_000];
        for (int i = 0; i < entries.length; i += 2) {
            entries[i + 1] = 5 << 4 | 1;
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new DeduplicatorFormat.Header(0, 0, DeduplicatorFormat.NO_FORMS).writeTo(out);
        new StoredSample(Long.MAX_VALUE, 1_000, 125, 0, 0, 0, 0, 0, 0, entries).writeTo(out);
        ForgetfulFilter.create(GoldenKeyGroups.OPTIONS, new MemoryBudget(1 << 20), 0).writeTo(out);
        MemoryBudget budget = new MemoryBudget(1 << 20);
        assertThatThrownBy(
                        () ->
                                Deduplicator.readFrom(
                                        new ByteArrayInputStream(out.toByteArray()),
                                        "hostile",
                                        GoldenKeyGroups.OPTIONS,
                                        budget,
                                        GoldenKeyGroups.WATCHED))
                .isInstanceOf(CorruptFilterException.class)
                .hasMessageContaining("more than 16 times");
        assertThat(budget.reserved()).isZero();
    }
}

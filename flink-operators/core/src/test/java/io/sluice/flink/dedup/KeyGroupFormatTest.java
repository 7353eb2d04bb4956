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
        byte[] bytes = golden("v3-key-group.bin");
        Deduplicator group =
                restored(GoldenKeyGroups.WITH_IDS, new ByteArrayInputStream(bytes))
                        .peek(GoldenKeyGroups.WITH_IDS);
        assertThat(group.clock()).isEqualTo(GoldenKeyGroups.CLOCK);
        assertThat(group.idsHeld()).isEqualTo(GoldenKeyGroups.IDS);
        assertThat(group.measuredError().firsts()).isPositive();
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        group.writeTo(written);
        byte[] body = written.toByteArray();
        assertThat(body)
                .isEqualTo(Arrays.copyOfRange(bytes, bytes.length - body.length, bytes.length));
        for (long id = 0; id < GoldenKeyGroups.IDS; id++) {
            assertThat(group.decide(Hashing.hash(id), id)).isEqualTo(Verdict.DUPLICATE);
        }
    }

    @Test
    void readsTheGoldenKeyGroupWithoutIds() throws IOException {
        InputStream in = new ByteArrayInputStream(golden("v3-empty-key-group.bin"));
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
                golden("v3-key-group.bin"), (in, source) -> restored(GoldenKeyGroups.WITH_IDS, in));
        Damage.isAlwaysRefused(
                golden("v3-empty-key-group.bin"),
                (in, source) -> restored(GoldenKeyGroups.WITHOUT_IDS, in));
    }

    /** Reading it would take minutes with a large sample, and days with more of them. */
    @Test
    void refusesASampleWithTheSameIdManyTimes() throws IOException {
        long[] entries = new long[20_000];
        for (int i = 0; i < entries.length; i += 2) {
            entries[i + 1] = 5;
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new DeduplicatorFormat.Header(0, 0, 0, 0, 0, 0, 0).writeTo(out, entries);
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
                .hasMessageContaining("without a time");
        assertThat(budget.reserved()).isZero();
    }

    private static DeduplicatorFormat.Header written(long firsts, long dropped, long missed)
            throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new DeduplicatorFormat.Header(0, 0, firsts, dropped, missed, 0, 0)
                .writeTo(out, new long[0]);
        return DeduplicatorFormat.header(
                DeduplicatorFormat.open(new ByteArrayInputStream(out.toByteArray()), "counts"));
    }

    /** Nobody counts so far; but what is read can be used, and read again when it was written. */
    @Test
    void theSamplesCountsAreWrittenSoThatCountingCanGoOn() throws IOException {
        DeduplicatorFormat.Header most =
                written(Long.MAX_VALUE, Long.MAX_VALUE - 1, Long.MAX_VALUE);
        assertThat(most.firsts()).isEqualTo(1L << 62);
        assertThat(most.dropped()).isEqualTo(1L << 62);
        assertThat(most.missed()).isEqualTo(1L << 62);
        assertThatThrownBy(() -> written(1, 2, 0)).isInstanceOf(CorruptFilterException.class);
        assertThatThrownBy(() -> written(1, 0, -1)).isInstanceOf(CorruptFilterException.class);
    }
}

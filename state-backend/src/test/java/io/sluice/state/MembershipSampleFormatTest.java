/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.MeasuredError;
import io.sluice.filter.format.GoldenFile;
import io.sluice.state.snapshot.CompositeManifest;
import io.sluice.state.snapshot.StoredSample;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.junit.jupiter.api.Test;

/** A sample with a time-to-live as it was stored: it must stay readable for ever. */
class MembershipSampleFormatTest {

    private static final byte[] GOLDEN = GoldenFile.read("manifest/" + GoldenSample.NAME);

    private static StoredSample golden() throws IOException {
        return sampleOf(GOLDEN);
    }

    private static StoredSample sampleOf(byte[] manifest) throws IOException {
        return CompositeManifest.read(new ByteArrayInputStream(manifest), "golden")
                .states()
                .get(0)
                .sample();
    }

    private static MembershipSample restored() throws IOException {
        MembershipSample sample = GoldenSample.empty();
        sample.restore(golden(), 0, KeyGroupRange.of(0, GoldenSample.KEY_GROUPS - 1));
        return sample;
    }

    private static MeasuredError counts(long firsts, long dropped) {
        return new MeasuredError(firsts, dropped);
    }

    /** In any order: a secret of the table decides. */
    @Test
    void theGoldenSampleIsWrittenAgain() throws IOException {
        byte[] written = GoldenSample.bytes(GoldenSample.sample());
        GoldenFile.writeMissing("manifest/" + GoldenSample.NAME, written);

        assertThat(written).hasSameSizeAs(GOLDEN);
        assertThat(sampleOf(written))
                .usingRecursiveComparison()
                .ignoringFields("entries")
                .isEqualTo(golden());
        assertThat(entries(sampleOf(written))).isEqualTo(entries(golden()));
    }

    private static Map<Long, Long> entries(StoredSample sample) {
        Map<Long, Long> entries = new HashMap<>();
        for (int i = 0; i < sample.entries().length; i += 2) {
            entries.put(sample.entries()[i], sample.entries()[i + 1]);
        }
        return entries;
    }

    @Test
    void theGoldenSampleHasItsKeysAndTheirTimes() throws IOException {
        long[] entries = golden().entries();
        assertThat(entries).hasSize(2 * GoldenSample.KEYS);
        for (long key = 1; key < GoldenSample.KEYS; key++) {
            int at = indexOf(GoldenSample.hash(key), entries);
            long entry = entries[at + 1];
            assertThat(SampleEntry.isValid(entry)).isTrue();
            assertThat(SampleEntry.keyGroup(entry)).isEqualTo(GoldenSample.keyGroup(key));
            assertThat(SampleEntry.time(entry)).isEqualTo(GoldenSample.time(key));
            assertThat(SampleEntry.isCounted(entry)).isTrue();
            assertThat(SampleEntry.isDropped(entry)).isEqualTo(GoldenSample.isDropped(key));
        }
    }

    private static int indexOf(long hash, long[] entries) {
        int at = 0;
        while (entries[at] != hash) {
            at += 2;
        }
        return at;
    }

    @Test
    void theGoldenSampleGoesOnWhereItStopped() throws IOException {
        MembershipSample sample = restored();
        assertThat(sample.oneIn()).isEqualTo(1);
        assertThat(sample.error()).as("20 keys, and one again").isEqualTo(counts(21, 5));
        long living = GoldenSample.KEYS - 1;
        sample.asked(GoldenSample.keyGroup(living), GoldenSample.hash(living), true);
        assertThat(sample.error()).as("it is known").isEqualTo(counts(21, 5));
        sample.asked(GoldenSample.keyGroup(1), GoldenSample.hash(1), true);
        assertThat(sample.error()).as("it had expired").isEqualTo(counts(22, 6));
        assertThat(sample.stored().clock()).isEqualTo(GoldenSample.CLOCK);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.MeasuredError;
import io.sluice.filter.format.CorruptFilterException;
import io.sluice.filter.format.Damage;
import io.sluice.filter.format.FilterWriter;
import io.sluice.filter.format.GoldenFile;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A sample with a time-to-live as it was stored: it must stay readable for ever. */
class SampleFormatTest {

    private static final byte[] GOLDEN = GoldenFile.read("sample/" + GoldenSample.NAME);
    private static final SampleRecord LAYOUT = new SampleRecord(15);

    private static StoredSample golden() throws IOException {
        return read(GOLDEN);
    }

    private static StoredSample read(byte[] bytes) throws IOException {
        return StoredSample.readFrom(new ByteArrayInputStream(bytes), "test");
    }

    private static IdSample restored() throws IOException {
        IdSample sample = GoldenSample.empty();
        sample.restore(golden());
        return sample;
    }

    private static MeasuredError counts(long firsts, long dropped) {
        return new MeasuredError(firsts, dropped);
    }

    /** In any order: a secret of the table decides. */
    @Test
    void theGoldenSampleIsWrittenAgain() throws IOException {
        byte[] written = GoldenSample.sample().stored().toByteArray();

        assertThat(written).hasSameSizeAs(GOLDEN);
        assertThat(read(written))
                .usingRecursiveComparison()
                .ignoringFields("entries")
                .isEqualTo(golden());
        assertThat(entries(read(written))).isEqualTo(entries(golden()));
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
            assertThat(SampleRecord.isValid(entry)).isTrue();
            assertThat(LAYOUT.group(entry)).isEqualTo(GoldenSample.keyGroup(key));
            assertThat(LAYOUT.time(entry)).isEqualTo(GoldenSample.time(key));
            assertThat(SampleRecord.has(SampleRecord.COUNTED, entry)).isTrue();
            assertThat(SampleRecord.has(SampleRecord.DROPPED, entry))
                    .isEqualTo(GoldenSample.isDropped(key));
        }
    }

    @Test
    void aStoredSampleShowsItsIdsAndSaysWhichItKnows() throws IOException {
        Map<Long, Long> times = new HashMap<>();
        golden().forEach(times::put);
        assertThat(times).hasSize(GoldenSample.KEYS);
        for (long key = 1; key < GoldenSample.KEYS; key++) {
            assertThat(times).containsEntry(GoldenSample.hash(key), GoldenSample.time(key));
        }
        assertThat(golden().oneIn()).isOne();
        assertThat(golden().isComplete()).isTrue();
        assertThat(empty(Long.MAX_VALUE / 4, 100, Long.MIN_VALUE).oneIn()).isEqualTo(4);
        assertThat(empty(1, 100, 100).isComplete()).isTrue();
        assertThat(empty(1, 100, 101).isComplete()).isFalse();
        assertThat(empty(0, 100, Long.MIN_VALUE).isComplete()).isFalse();
        assertThat(empty(0, 100, Long.MIN_VALUE).contains(0)).isFalse();
        assertThat(empty(1, 100, Long.MIN_VALUE).contains(0)).isTrue();
    }

    private static StoredSample empty(long limit, long clock, long countsFrom) {
        return new StoredSample(limit, 1000, 0, clock, countsFrom, 0, 0, 0, 0, new long[0]);
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
        IdSample sample = restored();
        assertThat(sample.oneIn()).isEqualTo(1);
        assertThat(sample.error()).as("20 keys, and one again").isEqualTo(counts(21, 5));
        long living = GoldenSample.KEYS - 1;
        sample.asked(GoldenSample.keyGroup(living), GoldenSample.hash(living), true);
        assertThat(sample.error()).as("it is known").isEqualTo(counts(21, 5));
        sample.asked(GoldenSample.keyGroup(1), GoldenSample.hash(1), true);
        assertThat(sample.error()).as("it had expired").isEqualTo(counts(22, 6));
        assertThat(sample.stored().clock()).isEqualTo(GoldenSample.CLOCK);
    }

    @Test
    void theGoldenSampleSaysWhatItMeasured() throws IOException {
        assertThat(golden().error()).isEqualTo(counts(21, 5));
        assertThat(golden().size()).isEqualTo(GoldenSample.KEYS);
    }

    @Test
    void anyDamageIsFound() {
        Damage.isAlwaysRefused(GOLDEN, StoredSample::readFrom);
    }

    private static StoredSample sample(long firsts, long dropped, long... entries) {
        return new StoredSample(1, 2, 3, 4, 5, firsts, dropped, 6, 7, entries);
    }

    @Test
    void isReadAsItWasWritten() throws IOException {
        for (StoredSample sample :
                new StoredSample[] {
                    sample(8, 7, 11, 1, 13, 3),
                    sample(StoredSample.MAX_COUNT, StoredSample.MAX_COUNT),
                    new StoredSample(
                            0,
                            0,
                            0,
                            Long.MIN_VALUE,
                            Long.MAX_VALUE,
                            0,
                            0,
                            StoredSample.MAX_COUNT,
                            16,
                            new long[0])
                }) {
            assertThat(read(sample.toByteArray())).usingRecursiveComparison().isEqualTo(sample);
        }
    }

    @Test
    void whatNoSampleSaysIsRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> sample(1, 2));
        assertThatIllegalArgumentException().isThrownBy(() -> sample(0, -1));
        assertThatIllegalArgumentException().isThrownBy(() -> sample((1L << 46) + 1, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> sample(1, 0, 5));
        assertThatIllegalArgumentException().isThrownBy(() -> sample(1, 0, 5, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> sample(1, 0, 5, 2));
        assertThatIllegalArgumentException().isThrownBy(() -> sample(1, 0, 5, 1 | 4));
        long[][] impossible = {
            {-1, 0, 0, 0, 0},
            {1, -1, 0, 0, 0},
            {1, 0, -1, 0, 0},
            {1, 0, 0, -1, 0},
            {1, 0, 0, 0, 17},
            {1, 0, 0, 0, -1}
        };
        for (long[] of : impossible) {
            assertThatIllegalArgumentException()
                    .isThrownBy(
                            () ->
                                    new StoredSample(
                                            of[0],
                                            of[1],
                                            of[2],
                                            4,
                                            5,
                                            1,
                                            1,
                                            of[3],
                                            (int) of[4],
                                            new long[0]));
        }
    }

    private static byte[] envelope(int parameters, long last, int words) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteBuffer bytes =
                ByteBuffer.allocate(parameters * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asLongBuffer().put(parameters - 1, last);
        FilterWriter writer =
                new FilterWriter(out, StoredSample.KIND, 1, bytes, (long) words * Long.BYTES);
        writer.words(new long[words], 0, words);
        writer.finish();
        return out.toByteArray();
    }

    /** With right checksums. */
    @Test
    void lengthsAndNumbersThatCannotBeAreRefused() throws IOException {
        assertThat(read(envelope(9, 0, 0)).size()).isZero();
        byte[][] impossible = {
            envelope(8, 0, 0), envelope(9, 0, 1), envelope(9, 0, 2), envelope(9, 1L << 32, 0)
        };
        for (byte[] bytes : impossible) {
            assertThatThrownBy(() -> read(bytes)).isInstanceOf(CorruptFilterException.class);
        }
    }
}

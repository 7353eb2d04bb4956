/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.junit.jupiter.api.Test;

/** A sample as it is stored: what it may say, and what no bytes may claim. */
class StoredSampleTest {

    private static final long MOST_FIRSTS = 1L << 46;

    private static StoredSample sample(long firsts, long dropped, long... entries) {
        return new StoredSample(1, 2, 3, 4, 5, firsts, dropped, entries);
    }

    private static DataOutputSerializer written(StoredSample sample) throws IOException {
        DataOutputSerializer body = new DataOutputSerializer(64);
        sample.write(body);
        return body;
    }

    @Test
    void isReadAsItWasWritten() throws IOException {
        DataOutputSerializer body = written(sample(7, 6, 11, 12, 13, 14));
        body.writeByte(99);
        DataInputDeserializer in = new DataInputDeserializer(body.getCopyOfBuffer());
        StoredSample read = StoredSample.parse(in);
        assertThat(read.limit()).isEqualTo(1);
        assertThat(read.timeToLiveMillis()).isEqualTo(2);
        assertThat(read.bucketMillis()).isEqualTo(3);
        assertThat(read.clock()).isEqualTo(4);
        assertThat(read.countsFrom()).isEqualTo(5);
        assertThat(read.earlierFirsts()).isEqualTo(7);
        assertThat(read.earlierDropped()).isEqualTo(6);
        assertThat(read.entries()).containsExactly(11, 12, 13, 14);
        assertThat(in.readByte()).as("what follows").isEqualTo((byte) 99);
    }

    @Test
    void theExtremesMayBeStored() throws IOException {
        for (StoredSample extreme :
                new StoredSample[] {
                    new StoredSample(1, 0, 0, Long.MIN_VALUE, Long.MAX_VALUE, 0, 0, new long[0]),
                    sample(MOST_FIRSTS, MOST_FIRSTS)
                }) {
            DataOutputSerializer body = written(extreme);
            StoredSample read =
                    StoredSample.parse(new DataInputDeserializer(body.getCopyOfBuffer()));
            assertThat(read).usingRecursiveComparison().isEqualTo(extreme);
        }
    }

    @Test
    void whatNoSampleSaysIsRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> sample(1, 2));
        assertThatIllegalArgumentException().isThrownBy(() -> sample(0, -1));
        assertThatIllegalArgumentException().isThrownBy(() -> sample(MOST_FIRSTS + 1, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> sample(1, 0, 5));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new StoredSample(0, 0, 0, 0, 0, 0, 0, new long[0]));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new StoredSample(1, -1, 0, 0, 0, 0, 0, new long[0]));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new StoredSample(1, 0, -1, 0, 0, 0, 0, new long[0]));
    }

    /** Before anything is allocated for them. */
    @Test
    void moreKeysThanThereAreBytesForAreRefused() throws IOException {
        int countAt = 7 * Long.BYTES;
        for (int keys : new int[] {3, -1, Integer.MAX_VALUE}) {
            DataOutputSerializer body = written(sample(7, 6, 11, 12, 13, 14));
            byte[] bytes = body.getCopyOfBuffer();
            java.nio.ByteBuffer.wrap(bytes).putInt(countAt, keys);
            assertThatThrownBy(() -> StoredSample.parse(new DataInputDeserializer(bytes)))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("a sample of " + keys + " keys");
        }
    }
}

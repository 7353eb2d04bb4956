/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.format.Damage;
import io.sluice.filter.format.GoldenFile;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The watermark of a key group in raw keyed state. */
class ReachedWatermarkTest {

    private static byte[] written(long millis) throws IOException {
        ReachedWatermark reached = ReachedWatermark.handler(1_000).create();
        reached.set(millis, 7);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ReachedWatermark.handler(1_000).write(reached, out);
        return out.toByteArray();
    }

    private static long read(byte[] bytes) throws IOException {
        return ReachedWatermark.handler(1_000)
                .read(new ByteArrayInputStream(bytes), "group")
                .millis();
    }

    @ParameterizedTest
    @ValueSource(longs = {Long.MIN_VALUE, -1, 0, 1_700_000_000_000L, Long.MAX_VALUE - 1})
    void itIsReadAsItWasWritten(long millis) throws IOException {
        assertThat(read(written(millis))).isEqualTo(millis);
    }

    @Test
    void itIsStillWrittenAsInTheGoldenFile() throws IOException {
        GoldenFile.assertStillWritten("dedup/v1-watermark.bin", written(1_700_000_000_000L));
    }

    @Test
    void everyDamageIsRefused() throws IOException {
        Damage.isAlwaysRefused(written(5), ReachedWatermark.handler(1_000)::read);
    }
}

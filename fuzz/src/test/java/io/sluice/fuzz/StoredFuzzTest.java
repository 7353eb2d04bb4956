/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.fuzz;

import static io.sluice.fuzz.Reading.check;
import static io.sluice.fuzz.Reading.isRefusedOrWorks;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.sluice.filter.window.StoredWindow;
import io.sluice.flink.dedup.StoredDeduplicator;
import java.io.IOException;

/** What {@code sluice inspect} reads of filters: all but their arrays. */
class StoredFuzzTest {

    @FuzzTest
    void aStoredWindow(byte[] bytes) throws IOException {
        byte[] righted = Envelopes.righted(bytes);
        isRefusedOrWorks(
                righted,
                StoredWindow::readFrom,
                window -> {
                    use(window);
                    return righted;
                });
    }

    @FuzzTest
    void aStoredDeduplicator(byte[] bytes) throws IOException {
        byte[] righted = Envelopes.righted(bytes);
        isRefusedOrWorks(
                righted,
                StoredDeduplicator::readFrom,
                group -> {
                    check(group.sampledIds() >= 0, "a number of ids");
                    use(group.filter());
                    return righted;
                });
    }

    private static void use(StoredWindow window) {
        check(window.options() != null, "options");
        window.segments()
                .forEach(
                        segment -> {
                            check(segment.bytes() >= 0, "a number of bytes");
                            check(segment.capacity() >= 0, "a number of ids");
                        });
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.fuzz;

import static io.sluice.fuzz.Reading.check;
import static io.sluice.fuzz.Reading.isRefusedOrWorks;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.sluice.filter.forgetful.StoredWindow;
import io.sluice.filter.forgetful.StoredWindow.StoredGeneration;
import io.sluice.filter.forgetful.StoredWindow.StoredSegment;
import io.sluice.flink.dedup.StoredDeduplicator;
import java.io.IOException;

/** What {@code sluice inspect} reads of filters: all but their arrays. */
class StoredFuzzTest {
    private static final double ROUNDING = 1e-12;

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
                    long[] shown = new long[1];
                    group.sample().forEach((hash, time) -> shown[0]++);
                    check(shown[0] == group.sample().size(), "a number of ids");
                    check(group.sample().oneIn() >= 0, "a rate of the sample");
                    use(group.filter());
                    return righted;
                });
    }

    private static void use(StoredWindow window) {
        check(window.predictedFpp() >= 0 && window.predictedFpp() <= 1, "a probability");
        long ids = 0;
        for (StoredSegment segment : window.segments()) {
            check(
                    segment.predictedFpp() <= window.predictedFpp() * (1 + ROUNDING),
                    "the probability of a part");
            check(segment.capacity() >= 1, "room for ids");
            for (StoredGeneration generation : segment.generations()) {
                check(generation.begin() <= generation.end(), "a stretch of time");
                ids += generation.ids();
            }
        }
        check(ids >= 0 && ids == window.ids(), "a number of ids");
    }
}

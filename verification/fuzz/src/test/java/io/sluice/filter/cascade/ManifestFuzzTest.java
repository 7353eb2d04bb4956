/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

import static io.sluice.fuzz.Reading.check;
import static io.sluice.fuzz.Reading.isRefusedOrWorks;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.sluice.fuzz.Envelopes;
import java.io.IOException;

class ManifestFuzzTest {

    @FuzzTest
    void theManifestOfACascade(byte[] bytes) throws IOException {
        isRefusedOrWorks(
                Envelopes.righted(bytes),
                Manifest::read,
                manifest -> {
                    byte[] written = manifest.toBytes();
                    check(
                            Manifest.of(written, "written").equals(manifest),
                            "what is written is what was read");
                    StoredCascade stored = StoredCascade.of(written, "written");
                    check(
                            stored.estimatedFpp() >= 0 && stored.estimatedFpp() <= 1,
                            "a probability");
                    stored.sections().forEach(section -> check(section.entries() >= 0, "a number"));
                    return written;
                });
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.snapshot;

import static io.sluice.fuzz.Reading.isRefusedOrWorks;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.sluice.fuzz.Envelopes;
import java.io.IOException;

class CompositeManifestFuzzTest {

    @FuzzTest
    void aCheckpointOfTheStateBackend(byte[] bytes) throws IOException {
        isRefusedOrWorks(
                Envelopes.righted(bytes), CompositeManifest::read, CompositeManifest::toBytes);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.runtime;

import static io.sluice.fuzz.Reading.check;
import static io.sluice.fuzz.Reading.isRefusedOrWorks;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.sluice.fuzz.Envelopes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;

/** What precedes the structure of a key group, in the state of each operator. */
class KeyGroupHeaderFuzzTest {

    private static final int SOME_CHARACTERS = 1000;

    @FuzzTest
    void theHeaderOfAKeyGroup(byte[] bytes) throws IOException {
        isRefusedOrWorks(
                Envelopes.righted(bytes),
                KeyGroupHeader::readFrom,
                header -> {
                    check(header.identity().length <= bytes.length, "no more than was there");
                    String layout = header.layout();
                    ByteArrayOutputStream out = new ByteArrayOutputStream();
                    new KeyGroupHeader(
                                    header.maxParallelism(),
                                    header.keyGroup(),
                                    header.hasStructure(),
                                    layout.substring(0, Math.min(SOME_CHARACTERS, layout.length())),
                                    header.identity())
                            .writeTo(out);
                    return out.toByteArray();
                });
    }
}

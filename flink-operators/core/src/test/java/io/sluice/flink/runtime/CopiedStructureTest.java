/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Random;
import org.junit.jupiter.api.Test;

class CopiedStructureTest {

    @Test
    void writesWhatItWasGivenInPiecesOfAnyLength() throws IOException {
        Random random = new Random(20261101);
        for (int round = 0; round < 200; round++) {
            CopiedStructure copy = new CopiedStructure();
            OutputStream stream = copy.stream();
            ByteArrayOutputStream expected = new ByteArrayOutputStream();
            for (int i = random.nextInt(20); i > 0; i--) {
                byte[] bytes = new byte[random.nextInt(1 << random.nextInt(1, 17))];
                random.nextBytes(bytes);
                int from = random.nextInt(bytes.length + 1);
                stream.write(bytes, from, bytes.length - from);
                expected.write(bytes, from, bytes.length - from);
                stream.write(round);
                expected.write(round);
            }
            stream.close();
            ByteArrayOutputStream written = new ByteArrayOutputStream();
            copy.writeTo(written);
            assertThat(written.toByteArray()).isEqualTo(expected.toByteArray());
            copy.close();
        }
    }

    @Test
    void whatIsClosedIsNotWritten() throws IOException {
        CopiedStructure copy = new CopiedStructure();
        copy.stream().write(new byte[100_000]);
        copy.close();
        copy.close();
        assertThatThrownBy(() -> copy.writeTo(new ByteArrayOutputStream()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("closed");
    }
}

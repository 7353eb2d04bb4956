/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class KeyOrderTest {

    @Test
    void anyIdGetsTheHashCodeOfItsKeyAndStaysWhatItIs() {
        Random random = new Random(Long.getLong("test.seed", 1));
        for (int i = 0; i < 10_000; i++) {
            byte[] key = new byte[random.nextInt(20)];
            random.nextBytes(key);
            String id = Long.toString(random.nextLong(), 36).substring(random.nextInt(2));

            String ordered = KeyOrder.of(id, key);

            assertThat(ordered.hashCode()).isEqualTo(Arrays.hashCode(key));
            assertThat(ordered).startsWith(id).hasSize(id.length() + KeyOrder.ENDING);
            assertThat(KeyOrder.of(id, key)).isEqualTo(ordered);
        }
    }
}

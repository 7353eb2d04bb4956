/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile.element;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.Seeds;
import io.sluice.flink.counter.MissedOperation;
import io.sluice.flink.runtime.IdHasher;
import java.io.IOException;
import java.util.SplittableRandom;
import org.apache.flink.api.common.serialization.SerializerConfig;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.junit.jupiter.api.Test;

/** Ids that a peer sends are ids, or are refused by an exception that the operator expects. */
class ElementIdsTest {

    private static final TypeInformation<MissedOperation<String, Long>> OPERATION =
            MissedOperation.type(Types.STRING, Types.LONG);

    private static <K> ElementIds<K> of(TypeInformation<K> type) {
        SerializerConfig config = new SerializerConfigImpl();
        return new ElementIds<>(IdHasher.of(type, config), type.createSerializer(config));
    }

    @Test
    void idsComeBackAsTheyWere() throws IOException {
        ElementIds<MissedOperation<String, Long>> ids = of(OPERATION);
        MissedOperation<String, Long> operation = new MissedOperation<>("page", 7L, -3);
        assertThat(ids.read(ids.bytes(operation))).isEqualTo(operation);
        assertThat(of(Types.STRING).read(of(Types.STRING).bytes("\u00e9"))).isEqualTo("\u00e9");
    }

    @Test
    void aNullIsNotAnId() {
        assertThatThrownBy(() -> of(Types.STRING).read(new byte[] {0}))
                .isInstanceOf(IOException.class);
        assertThatThrownBy(() -> of(OPERATION).read(new byte[] {1}))
                .isInstanceOf(IOException.class);
    }

    @Test
    void aLengthThatIsMadeUpIsRefused() {
        byte[] longest = {-1, -1, -1, -1, 7};
        assertThatThrownBy(() -> of(Types.STRING).read(longest)).isInstanceOf(IOException.class);
    }

    @Test
    void bytesThatAreMadeUpAreAnIdOrAreRefused() {
        SplittableRandom random = new SplittableRandom(Seeds.seed(1));
        ElementIds<String> texts = of(Types.STRING);
        ElementIds<MissedOperation<String, Long>> operations = of(OPERATION);
        ElementIds<Tuple2<String, Long>> tuples = of(Types.TUPLE(Types.STRING, Types.LONG));
        for (int i = 0; i < 1_000; i++) {
            byte[] bytes = new byte[random.nextInt(24)];
            random.nextBytes(bytes);
            // A null flag, and short lengths, more often.
            for (int at = 0; at < bytes.length; at++) {
                bytes[at] = random.nextBoolean() ? (byte) random.nextInt(4) : bytes[at];
            }
            readOrRefuse(texts, bytes);
            readOrRefuse(operations, bytes);
            readOrRefuse(tuples, bytes);
        }
    }

    private static <K> void readOrRefuse(ElementIds<K> ids, byte[] bytes) {
        try {
            assertThat(ids.read(bytes)).isNotNull();
        } catch (IOException refused) {
            assertThat(refused).hasMessageNotContaining("\n");
        }
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.transformations.TwoInputTransformation;
import org.apache.flink.util.InstantiationUtil;
import org.junit.jupiter.api.Test;

/** A selector made in an instance method of a class that cannot be serialized. */
@SuppressWarnings("Convert2Lambda") // anonymous classes hold the object around them, lambdas do not
class ReconcileClosuresTest {

    private final StreamExecutionEnvironment env =
            StreamExecutionEnvironment.getExecutionEnvironment();
    private final DataStream<String> texts = env.fromData("a", "b");
    private final Object lock = new Object();

    /** Its selector uses a field, so it holds what cannot be serialized. */
    private String locked(String text) {
        synchronized (lock) {
            return text;
        }
    }

    private KeySelector<String, String> identity() {
        return new KeySelector<>() {
            @Override
            public String getKey(String text) {
                return text;
            }
        };
    }

    @Test
    void theSelectorOfReplicasMayBeMadeInAnInstanceMethod() throws Exception {
        assertThat(InstantiationUtil.serializeObject(reconcile(identity()))).isNotEmpty();
        assertThatThrownBy(() -> reconcile((String text) -> locked(text)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("the selector of by(...)", "static");
    }

    private Object reconcile(KeySelector<String, String> id) {
        env.enableCheckpointing(1_000);
        var repairs =
                Reconcile.by(id)
                        .uid("x")
                        .replica("a")
                        .peer("b")
                        .window(Duration.ofMinutes(1))
                        .apply(texts, env.fromData(new byte[0]))
                        .repairs();
        return ((TwoInputTransformation<?, ?, ?>) repairs.getTransformation()).getOperatorFactory();
    }
}

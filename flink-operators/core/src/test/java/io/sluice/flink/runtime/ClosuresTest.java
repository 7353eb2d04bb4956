/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.flink.Backends;
import io.sluice.flink.OnDuplicate;
import io.sluice.flink.OnLate;
import io.sluice.flink.OnNullId;
import io.sluice.flink.counter.CounterValue;
import io.sluice.flink.counter.Delta;
import io.sluice.flink.counter.IdempotentCounters;
import io.sluice.flink.dedup.Deduplicate;
import io.sluice.flink.testkit.Applied;
import io.sluice.flink.testkit.Subtasks;
import java.time.Duration;
import java.util.List;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.OutputTag;
import org.junit.jupiter.api.Test;

/** Functions, markers and tags made in an instance method of a class that cannot be serialized. */
@SuppressWarnings("Convert2Lambda") // anonymous classes hold the object around them, lambdas do not
class ClosuresTest {

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

    private OutputTag<String> tag(String name) {
        return new OutputTag<>(name) {};
    }

    private OnDuplicate<String> marked() {
        return OnDuplicate.tag(
                new MapFunction<>() {
                    @Override
                    public String map(String text) {
                        return text + " again";
                    }
                });
    }

    private Delta<String> lengths() {
        return new Delta<>() {
            @Override
            public long of(String text) {
                return text.length();
            }
        };
    }

    private <K> Deduplicate<String, K> deduplicate(KeySelector<String, K> id) {
        return Deduplicate.by(id).uid("x").within(Duration.ofMinutes(1));
    }

    private <K> List<String> run(Deduplicate<String, K> builder) throws Exception {
        Applied<String, String> applied = Applied.of(Types.STRING, builder.apply(texts));
        Subtasks<Object, String, String> stream = applied.subtasks(10, Backends.HASHMAP);
        stream.start(1, applied);
        try {
            return List.copyOf(stream.process("a", 0));
        } finally {
            stream.close();
        }
    }

    @Test
    void selectorsMarkersAndTagsMayBeMadeInAnInstanceMethod() throws Exception {
        Deduplicate<String, String> builder =
                deduplicate(identity())
                        .onDuplicate(marked())
                        .onLate(OnLate.sideOutput(tag("late")))
                        .onNullId(OnNullId.sideOutput(tag("without")))
                        .batch(1, Duration.ofMillis(5));
        assertThat(run(builder)).containsExactly("a");
        assertThat(run(builder.verify())).containsExactly("a");
        builder.onDuplicate(OnDuplicate.sideOutput(tag("duplicates")));
        assertThat(run(builder)).containsExactly("a");
    }

    @Test
    void counterFunctionsMayBeMadeInAnInstanceMethod() throws Exception {
        Applied<String, CounterValue<String>> applied =
                Applied.of(
                        Types.STRING,
                        IdempotentCounters.of(identity())
                                .operation(identity())
                                .delta(lengths())
                                .onDuplicate(OnDuplicate.sideOutput(tag("retries")))
                                .onLate(OnLate.sideOutput(tag("late")))
                                .onNullId(OnNullId.sideOutput(tag("without")))
                                .onNullCounter(OnNullId.sideOutput(tag("uncounted")))
                                .uid("x")
                                .within(Duration.ofMinutes(1))
                                .batch(1, Duration.ofMillis(5))
                                .apply(texts));
        Subtasks<Object, String, CounterValue<String>> stream =
                applied.subtasks(10, Backends.HASHMAP);
        stream.start(1, applied);
        assertThat(stream.process("abc", 0)).extracting(CounterValue::value).containsExactly(3L);
        stream.close();
    }

    @Test
    void tagsStillNameTheSameSideOutput() {
        OutputTag<String> made = tag("late");
        assertThat(OnLate.sideOutput(made).sideOutput()).isEqualTo(made);
        assertThat(OnLate.sideOutput(made).sideOutput().getTypeInfo()).isEqualTo(Types.STRING);
    }

    @Test
    void aFunctionThatUsesWhatCannotBeSerializedIsRefusedByItsOption() {
        refused(deduplicate((String text) -> locked(text)), "the id's selector");
        refused(
                deduplicate(identity()).onDuplicate(OnDuplicate.tag(text -> locked(text))),
                "onDuplicate(tag(...))");
        assertThatThrownBy(
                        () ->
                                IdempotentCounters.of(identity())
                                        .operation(identity())
                                        .delta(text -> locked(text).length())
                                        .uid("x")
                                        .within(Duration.ofMinutes(1))
                                        .apply(texts))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("delta cannot be serialized", "static");
    }

    private void refused(Deduplicate<String, String> builder, String function) {
        assertThatThrownBy(() -> builder.apply(texts))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll(function, "cannot be serialized", "static");
    }
}

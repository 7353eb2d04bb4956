/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.flink.Backends;
import io.sluice.flink.OnNullId;
import io.sluice.flink.TimeDomain;
import io.sluice.flink.testkit.Applied;
import io.sluice.flink.testkit.Subtasks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.api.java.tuple.Tuple1;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.OutputTag;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Records are texts, and the text "none" has no id. */
class DeduplicateNullIdTest {

    private static final OutputTag<String> WITHOUT = new OutputTag<>("without", Types.STRING);

    private final StreamExecutionEnvironment env =
            StreamExecutionEnvironment.getExecutionEnvironment();
    private Subtasks<Object, String, String> stream;

    @AfterEach
    void close() throws Exception {
        if (stream != null) {
            stream.close();
        }
    }

    private <K> void start(
            DeduplicateIdentityTest.Engine engine,
            OnNullId<String> onNullId,
            int batch,
            KeySelector<String, K> id,
            TypeInformation<K> type)
            throws Exception {
        Deduplicate<String, K> builder =
                Deduplicate.by((String text) -> text.equals("none") ? null : id.getKey(text))
                        .idType(type)
                        .uid("x")
                        .within(Duration.ofMinutes(1))
                        .timeDomain(TimeDomain.PROCESSING)
                        .onNullId(onNullId)
                        .batch(batch, Duration.ofMillis(5));
        switch (engine) {
            case FILTER -> {}
            case VERIFIED -> builder.verify();
            case IN_STATE -> builder.inState();
        }
        Applied<String, String> applied =
                Applied.of(Types.STRING, builder.apply(env.fromData("a")));
        stream = applied.subtasks(100, Backends.HASHMAP);
        stream.start(2, applied);
    }

    private void start(DeduplicateIdentityTest.Engine engine, OnNullId<String> onNullId)
            throws Exception {
        start(engine, onNullId, 1, text -> text, Types.STRING);
    }

    private List<String> process(String... records) throws Exception {
        List<String> emitted = new ArrayList<>();
        for (String record : records) {
            emitted.addAll(stream.process(record, 0));
        }
        return emitted;
    }

    @ParameterizedTest
    @EnumSource
    void aNullIdFailsTheJobByDefaultNamingOperatorAndOption(DeduplicateIdentityTest.Engine engine)
            throws Exception {
        start(engine, OnNullId.fail());
        assertThat(process("a")).containsExactly("a");
        assertThatThrownBy(() -> process("none"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll("operator under test", "id is null", "onNullId");
    }

    @ParameterizedTest
    @EnumSource
    void recordsWithoutIdsAreForwardedEveryTimeAndCounted(DeduplicateIdentityTest.Engine engine)
            throws Exception {
        start(engine, OnNullId.forward());
        assertThat(process("a", "none", "none", "a", "none"))
                .containsExactly("a", "none", "none", "none");
        assertThat(stream.counter(DeduplicateMetrics.NULL_IDS)).isEqualTo(3);
        assertThat(stream.counter(DeduplicateMetrics.RECORDS)).isEqualTo(5);
        assertThat(stream.counter(DeduplicateMetrics.DUPLICATES)).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void recordsWithoutIdsAreDroppedAndCounted(DeduplicateIdentityTest.Engine engine)
            throws Exception {
        start(engine, OnNullId.drop());
        assertThat(process("none", "a", "none")).containsExactly("a");
        assertThat(stream.counter(DeduplicateMetrics.NULL_IDS)).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource
    void recordsWithoutIdsGoToASideOutput(DeduplicateIdentityTest.Engine engine) throws Exception {
        start(engine, OnNullId.sideOutput(WITHOUT));
        assertThat(process("a")).containsExactly("a");
        assertThat(process("none")).isEmpty();
        assertThat(stream.sideOutput(WITHOUT)).containsExactly("none");
    }

    /** Null shares its key with "", 0 and empty bytes, which are ordinary ids. */
    @ParameterizedTest
    @EnumSource
    void theIdThatSharesItsKeyWithNullIsStillFirstOnce(DeduplicateIdentityTest.Engine engine)
            throws Exception {
        start(engine, OnNullId.forward());
        assertThat(process("none", "", "none", "")).containsExactly("none", "", "none");
        stream.close();
        start(engine, OnNullId.forward(), 1, Integer::valueOf, Types.INT);
        assertThat(process("none", "0", "none", "0")).containsExactly("none", "0", "none");
    }

    @Test
    void aRecordWithoutIdDoesNotOvertakeThoseThatWaitForABatch() throws Exception {
        start(DeduplicateIdentityTest.Engine.FILTER, OnNullId.forward(), 16, t -> t, Types.STRING);
        String waits = "a";
        while (stream.subtaskOf(waits) != stream.subtaskOf("none")) {
            waits += "a";
        }
        assertThat(process(waits)).isEmpty();
        assertThat(process("none")).containsExactly(waits, "none");
    }

    @Test
    void aNullInsideAnIdIsItsSerializersAffair() throws Exception {
        start(
                DeduplicateIdentityTest.Engine.FILTER,
                OnNullId.drop(),
                1,
                text -> Tuple1.of(text.isEmpty() ? null : text),
                Types.TUPLE(Types.STRING));
        assertThat(process("a", "a")).containsExactly("a");
        assertThat(process("", "")).containsExactly("");
    }
}

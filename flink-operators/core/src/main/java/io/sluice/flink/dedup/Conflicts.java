/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import io.sluice.filter.hash.Hashing;
import io.sluice.flink.OnConflict;
import io.sluice.flink.runtime.Closures;
import io.sluice.flink.runtime.IdHasher;
import java.io.Serializable;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.api.java.typeutils.TypeExtractor;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.operators.Output;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.OutputTag;

/**
 * Hashes the contents of records, and counts and diverts those that conflict. Operators that
 * compare contents have one as a member.
 *
 * @param <T> type of the records
 */
final class Conflicts<T> implements Serializable {

    /** The hash of no content: equal to that of a content with the probability of any other. */
    private static final long NULL = Hashing.hash("no content");

    private final KeySelector<T, Object> selector;
    private final IdHasher<Object> hasher;
    @Nullable private final OutputTag<T> sideOutput;

    private transient Counter conflicts;
    private transient Counter uncompared;

    private Conflicts(
            KeySelector<T, Object> selector,
            IdHasher<Object> hasher,
            @Nullable OutputTag<T> sideOutput) {
        this.selector = selector;
        this.hasher = hasher;
        this.sideOutput = sideOutput;
    }

    /**
     * @param seed of the hashes; they are part of the state
     * @throws IllegalArgumentException if equal contents may have unequal bytes
     */
    static <T> Conflicts<T> of(OnConflict<T> policy, DataStream<T> records, long seed) {
        @SuppressWarnings("unchecked")
        KeySelector<T, Object> selector = (KeySelector<T, Object>) policy.content();
        @SuppressWarnings("unchecked")
        TypeInformation<Object> type =
                (TypeInformation<Object>)
                        (policy.contentType() != null
                                ? policy.contentType()
                                : TypeExtractor.getKeySelectorTypes(selector, records.getType()));
        IdHasher<Object> hasher =
                IdHasher.of(
                        "content", type, records.getExecutionConfig().getSerializerConfig(), seed);
        return new Conflicts<>(
                Closures.clean(
                        records.getExecutionEnvironment(), "the content's selector", selector),
                hasher,
                policy.sideOutput());
    }

    /** Returns what hashes the contents; its identity is part of the state's. */
    IdHasher<Object> hasher() {
        return hasher;
    }

    /** Must be called before records. */
    void open(MetricGroup group) {
        conflicts = group.counter(DeduplicateMetrics.CONFLICTS);
        uncompared = group.counter(DeduplicateMetrics.UNCOMPARED);
    }

    /** Returns the hash of the record's content. */
    long contentOf(T record) throws Exception {
        Object content = selector.getKey(record);
        return content == null ? NULL : hasher.hash(content);
    }

    /** Counts a duplicate by what is known of its content; returns whether it conflicts. */
    boolean count(Verdict verdict) {
        if (verdict == Verdict.UNCOMPARED) {
            uncompared.inc();
        }
        if (verdict != Verdict.CONFLICT) {
            return false;
        }
        conflicts.inc();
        return true;
    }

    /** Counts a duplicate, and diverts one that conflicts, before anything else happens to it. */
    void handle(Verdict verdict, StreamRecord<T> record, Output<?> output) {
        if (count(verdict) && sideOutput != null) {
            output.collect(sideOutput, record);
        }
    }

    /** Null unless conflicts go to a side output. */
    @Nullable
    OutputTag<T> sideOutput() {
        return sideOutput;
    }
}

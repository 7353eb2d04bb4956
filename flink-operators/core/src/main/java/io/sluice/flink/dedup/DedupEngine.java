/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import io.sluice.flink.Batching;
import io.sluice.flink.OnDuplicate;
import io.sluice.flink.OnLate;
import io.sluice.flink.OnNullId;
import io.sluice.flink.TimeDomain;
import io.sluice.flink.WindowSettings;
import io.sluice.flink.runtime.IdHasher;
import io.sluice.flink.runtime.SortedInputFactory;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.streaming.api.datastream.KeyedStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;

/**
 * What decides which records pass. {@link #of} is the one place where it is chosen.
 *
 * <p>In BATCH execution every engine but {@link #LAST} gives way to one that needs no state, since
 * Flink sorts the input; {@link #LAST} is a function of keyed state, which Flink itself runs there.
 */
enum DedupEngine {
    /** A forgetful filter per key group. */
    MEMORY,

    /** The same, with exact state that is asked when the filter says "seen". */
    VERIFIED,

    /** A flag per id in Flink's state, with a time to live. */
    STATE,

    /** A flag per id in Flink's state, for ever. */
    FOREVER,

    /** The last record of each window in Flink's state, until the window ends. */
    LAST;

    /**
     * What the engines are made of.
     *
     * @param settings of the filters; the window means nothing to {@link #FOREVER}
     * @param ids cleaned for serialization
     */
    record Parts<T, K>(
            WindowSettings settings,
            Batching batching,
            KeySelector<T, K> ids,
            IdHasher<K> hasher,
            OnDuplicate<T> onDuplicate,
            OnLate<T> onLate,
            OnNullId<T> onNullId,
            PassRule rule) {}

    /** Two options that exclude each other. */
    private record Conflict(String first, String second, String why) {}

    private static final String ONE_PLACE = "the exact state has one place for an id";

    private static final List<Conflict> CONFLICTS =
            List.of(
                    new Conflict("verify", "inState", "inState is as exact as the backend"),
                    new Conflict("verify", "forever", "on Flink's own backends forever is exact"),
                    new Conflict("inState", "forever", "forever is a flag in Flink's state, too"),
                    new Conflict("keep(LAST)", "verify", "the last record is found exactly"),
                    new Conflict("keep(LAST)", "inState", "the last record is in Flink's state"),
                    new Conflict("keep(LAST)", "forever", "an endless window has no last record"),
                    new Conflict("limit", "verify", ONE_PLACE),
                    new Conflict("limit", "inState", ONE_PLACE),
                    new Conflict("limit", "forever", ONE_PLACE),
                    new Conflict("limit", "keep(LAST)", "one record of a window is the last"),
                    new Conflict(
                            "resetOnDuplicate",
                            "verify",
                            "every duplicate would write the exact state; inState does that"),
                    new Conflict("resetOnDuplicate", "forever", "there is no window to reset"),
                    new Conflict(
                            "resetOnDuplicate",
                            "keep(LAST)",
                            "a window would end only when an id stops coming: use a session"
                                    + " window for that"));

    /**
     * Returns the engine for these options.
     *
     * @throws IllegalArgumentException if two of them exclude each other
     */
    static DedupEngine of(
            boolean verify, boolean inState, boolean forever, Keep keep, PassRule rule) {
        boolean last = keep == Keep.LAST;
        Map<String, Boolean> chosen =
                Map.of(
                        "verify", verify,
                        "inState", inState,
                        "forever", forever,
                        "keep(LAST)", last,
                        "limit", rule.limit() > 1,
                        "resetOnDuplicate", rule.resetOnDuplicate());
        for (Conflict conflict : CONFLICTS) {
            if (chosen.get(conflict.first) && chosen.get(conflict.second)) {
                throw new IllegalArgumentException(
                        String.format(
                                "%s and %s exclude each other, but both are set: %s.",
                                conflict.first.replace("limit", "limit(" + rule.limit() + ")"),
                                conflict.second,
                                conflict.why));
            }
        }
        return last ? LAST : forever ? FOREVER : inState ? STATE : verify ? VERIFIED : MEMORY;
    }

    /** Whether it holds ids in filters, whose memory is planned. */
    boolean hasFilters() {
        return this == MEMORY || this == VERIFIED;
    }

    /** Adds the operator to a stream that is keyed by id. */
    <T, K> SingleOutputStreamOperator<T> apply(KeyedStream<T, Object> keyed, Parts<T, K> parts) {
        WindowSettings settings = parts.settings();
        if (this == LAST) {
            WindowTimers windows =
                    new WindowTimers(
                            settings.window(),
                            Duration.ofMillis(settings.maxFutureMillis()),
                            settings.timeDomain() == TimeDomain.PROCESSING);
            return keyed.process(
                    new KeepLast<>(
                            windows,
                            keyed.getType(),
                            parts.ids(),
                            parts.onDuplicate(),
                            parts.onLate(),
                            parts.onNullId()),
                    keyed.getType());
        }
        OneInputStreamOperator<T, T> forSortedInput =
                new SortedDeduplicateOperator<>(
                        this == FOREVER ? Long.MAX_VALUE : settings.windowMillis(),
                        settings.timeDomain(),
                        parts.ids(),
                        parts.hasher(),
                        parts.onDuplicate(),
                        parts.onNullId(),
                        parts.rule());
        return keyed.transform(
                "Deduplicate",
                keyed.getType(),
                new SortedInputFactory<>(forStreams(parts), forSortedInput));
    }

    private <T, K> OneInputStreamOperator<T, T> forStreams(Parts<T, K> parts) {
        return switch (this) {
            case MEMORY ->
                    new DeduplicateOperator<>(
                            parts.settings(),
                            parts.batching(),
                            parts.ids(),
                            parts.hasher(),
                            parts.onDuplicate(),
                            parts.onLate(),
                            parts.onNullId(),
                            parts.rule());
            case VERIFIED ->
                    new VerifyingDeduplicateOperator<>(
                            parts.settings(),
                            parts.ids(),
                            parts.hasher(),
                            parts.onDuplicate(),
                            parts.onLate(),
                            parts.onNullId());
            case STATE, FOREVER ->
                    new StateDeduplicateOperator<>(
                            this == FOREVER ? null : parts.settings().window(),
                            parts.ids(),
                            parts.hasher(),
                            parts.onDuplicate(),
                            parts.onNullId(),
                            parts.rule());
            case LAST -> throw new AssertionError("it is a function");
        };
    }
}

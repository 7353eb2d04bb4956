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
enum Engine {
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
     * @param settings of the filters; {@link #FOREVER} ignores the window
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

    /**
     * Returns the engine of these options.
     *
     * @throws IllegalArgumentException if two of them exclude each other
     */
    static Engine of(boolean verify, boolean inState, boolean forever, Keep keep, PassRule rule) {
        exclude(verify, "verify", inState, "inState", "inState is already as exact as the backend");
        exclude(
                verify,
                "verify",
                forever,
                "forever",
                "an exact state for ever is forever() on" + " Flink's own state backends");
        exclude(
                inState,
                "inState",
                forever,
                "forever",
                "forever is a flag in Flink's state too," + " without a time to live");
        boolean last = keep == Keep.LAST;
        exclude(last, "keep(LAST)", verify, "verify", "the last record is found exactly");
        exclude(last, "keep(LAST)", inState, "inState", "the last record is in Flink's state");
        exclude(
                last,
                "keep(LAST)",
                forever,
                "forever",
                "a window that never ends does not have a last record");
        boolean limited = rule.limit() > 1;
        String limit = "limit(" + rule.limit() + ")";
        String onePlace = "the exact state has one place for an id";
        exclude(limited, limit, verify, "verify", onePlace);
        exclude(limited, limit, inState, "inState", onePlace);
        exclude(limited, limit, forever, "forever", onePlace);
        exclude(limited, limit, last, "keep(LAST)", "one record of a window is the last");
        boolean resets = rule.resetOnDuplicate();
        exclude(
                resets,
                "resetOnDuplicate",
                verify,
                "verify",
                "the exact state would be written for every duplicate; inState does that");
        exclude(
                resets,
                "resetOnDuplicate",
                forever,
                "forever",
                "there is no window that could begin again");
        exclude(
                resets,
                "resetOnDuplicate",
                last,
                "keep(LAST)",
                "a window would end only when an"
                        + " id stops coming: use a session window for that");
        return last ? LAST : forever ? FOREVER : inState ? STATE : verify ? VERIFIED : MEMORY;
    }

    private static void exclude(boolean a, String first, boolean b, String second, String why) {
        if (a && b) {
            throw new IllegalArgumentException(
                    first
                            + " and "
                            + second
                            + " exclude each other, but both are set: "
                            + why
                            + ".");
        }
    }

    /** Returns whether it holds ids in filters, whose memory is planned. */
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

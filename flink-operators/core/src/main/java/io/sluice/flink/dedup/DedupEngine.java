/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import static io.sluice.flink.dedup.DeduplicateOptions.IN_STATE;
import static io.sluice.flink.dedup.DeduplicateOptions.KEEP;
import static io.sluice.flink.dedup.DeduplicateOptions.LIMIT;
import static io.sluice.flink.dedup.DeduplicateOptions.ON_DISK;
import static io.sluice.flink.dedup.DeduplicateOptions.RESET_ON_DUPLICATE;
import static io.sluice.flink.dedup.DeduplicateOptions.VERIFY;

import io.sluice.flink.Batching;
import io.sluice.flink.OnDuplicate;
import io.sluice.flink.OnLate;
import io.sluice.flink.OnNullId;
import io.sluice.flink.OptionException;
import io.sluice.flink.OptionException.Setting;
import io.sluice.flink.TimeDomain;
import io.sluice.flink.WindowSettings;
import io.sluice.flink.WindowedOptions;
import io.sluice.flink.runtime.IdHasher;
import io.sluice.flink.runtime.OptionalSecondInput;
import io.sluice.flink.runtime.OtherEngine;
import io.sluice.flink.runtime.OwnBackend;
import io.sluice.flink.runtime.SecondInputFactory;
import io.sluice.flink.runtime.SortedInputFactory;
import io.sluice.flink.runtime.StreamKey;
import java.time.Duration;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.KeyedStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
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

    /** A flag per id in Flink's state, or in a backend of its own, for a window. */
    STATE,

    /** A flag per id in Flink's state, or in a backend of its own, for ever. */
    FOREVER,

    /** The last record of each window in Flink's state, until the window ends. */
    LAST;

    /**
     * What the engines are made of.
     *
     * @param settings of the filters; {@link #FOREVER} ignores the window
     * @param ids cleaned for serialization
     * @param conflicts null if contents are not compared
     * @param alsoSeen ids that were seen elsewhere, null without
     * @param backend of the flags, null: that of the job
     * @param disk chooses between {@link #MEMORY} and {@link #STATE} with that backend, null
     *     without a choice
     */
    record Parts<T, K>(
            WindowSettings settings,
            Batching batching,
            KeySelector<T, K> ids,
            IdHasher<K> hasher,
            OnDuplicate<T> onDuplicate,
            @Nullable Conflicts<T> conflicts,
            OnLate<T> onLate,
            OnNullId<T> onNullId,
            PassRule rule,
            @Nullable DataStream<K> alsoSeen,
            @Nullable OwnBackend backend,
            @Nullable DiskIfTooLarge disk) {}

    /** Two options that exclude each other when both differ from their defaults. */
    private record Conflict(ConfigOption<?> first, ConfigOption<?> second, String why) {

        void check(ReadableConfig options) {
            if (isSet(options, first) && isSet(options, second)) {
                throw new OptionException(
                        setting(options, first),
                        " and ",
                        setting(options, second),
                        " exclude each other, but both are set: ",
                        why,
                        ". Leave one of them out.");
            }
        }

        private static boolean isSet(ReadableConfig options, ConfigOption<?> option) {
            return options.getOptional(option).isPresent()
                    && !options.get(option).equals(option.defaultValue());
        }

        private static Object setting(ReadableConfig options, ConfigOption<?> option) {
            return option.hasDefaultValue() ? new Setting(option, options.get(option)) : option;
        }
    }

    /** How messages name {@link Deduplicate#alsoSeen}. */
    private static final String ALSO_SEEN = "alsoSeen";

    private static final String ONLY_IN_MEMORY = "it is for filters in memory";

    private static final String ONE_PLACE = "exact state has one place for an id";

    private static final List<Conflict> CONFLICTS =
            List.of(
                    new Conflict(VERIFY, IN_STATE, "a flag in state is as exact as its backend"),
                    new Conflict(
                            VERIFY,
                            DeduplicateOptions.FOREVER,
                            "a flag in state is as exact as its backend"),
                    new Conflict(
                            IN_STATE,
                            DeduplicateOptions.FOREVER,
                            "both are a flag, with and without an end"),
                    new Conflict(KEEP, VERIFY, "the last record is found exactly"),
                    new Conflict(KEEP, IN_STATE, "the last record is in Flink's state"),
                    new Conflict(
                            KEEP,
                            DeduplicateOptions.FOREVER,
                            "a window that never ends has no last record"),
                    new Conflict(LIMIT, VERIFY, ONE_PLACE),
                    new Conflict(LIMIT, IN_STATE, ONE_PLACE),
                    new Conflict(LIMIT, DeduplicateOptions.FOREVER, ONE_PLACE),
                    new Conflict(LIMIT, KEEP, "one record of a window is the last"),
                    new Conflict(
                            RESET_ON_DUPLICATE,
                            VERIFY,
                            "the exact state would be written for every duplicate"),
                    new Conflict(
                            RESET_ON_DUPLICATE,
                            DeduplicateOptions.FOREVER,
                            "there is no window to begin again"),
                    new Conflict(
                            RESET_ON_DUPLICATE,
                            KEEP,
                            "a window would end only when an id stops coming, as Flink's session"
                                    + " windows do"),
                    new Conflict(
                            WindowedOptions.WITHIN,
                            DeduplicateOptions.FOREVER,
                            "an id is known for a window or for ever"),
                    new Conflict(
                            IN_STATE,
                            ON_DISK,
                            "a flag is in Flink's state, or in a filter of the operator's own"),
                    new Conflict(VERIFY, ON_DISK, "exact state is asked after a filter in memory"),
                    new Conflict(LIMIT, ON_DISK, "on disk an id has one mark"),
                    new Conflict(KEEP, ON_DISK, "the last record is in Flink's state"),
                    new Conflict(
                            WindowedOptions.HASH_SEED,
                            ON_DISK,
                            "filters on disk hash ids with the public seed"),
                    new Conflict(WindowedOptions.LAYOUT, ON_DISK, ONLY_IN_MEMORY),
                    new Conflict(
                            WindowedOptions.MAX_FALSE_POSITIVE_PROBABILITY,
                            ON_DISK,
                            ONLY_IN_MEMORY),
                    new Conflict(WindowedOptions.ON_OVERFLOW, ON_DISK, ONLY_IN_MEMORY),
                    new Conflict(WindowedOptions.SHADOW_IDS, ON_DISK, ONLY_IN_MEMORY),
                    new Conflict(
                            WindowedOptions.FORGET_DURING_DOWNTIME,
                            ON_DISK,
                            "on disk the time in which the job is down always counts"));

    /**
     * Returns the engine of these options.
     *
     * @throws OptionException if two of them exclude each other
     */
    static DedupEngine of(ReadableConfig options) {
        CONFLICTS.forEach(conflict -> conflict.check(options));
        if (options.get(KEEP) == Keep.LAST) {
            return LAST;
        }
        if (options.get(DeduplicateOptions.FOREVER)) {
            return FOREVER;
        }
        return options.get(IN_STATE) || options.get(ON_DISK)
                ? STATE
                : options.get(VERIFY) ? VERIFIED : MEMORY;
    }

    /**
     * Returns whether a window may be on disk although nobody asked for it: it is one of event
     * time, and all of its options are possible there.
     */
    boolean mayBeOnDisk(ReadableConfig options) {
        return this == MEMORY
                && options.get(WindowedOptions.TIME_DOMAIN) == TimeDomain.EVENT
                && options.getOptional(ON_DISK).isEmpty()
                && options.getOptional(WindowedOptions.ON_OVERFLOW).isEmpty()
                && CONFLICTS.stream()
                        .filter(conflict -> conflict.second().equals(ON_DISK))
                        .noneMatch(conflict -> Conflict.isSet(options, conflict.first()));
    }

    /** Returns whether it holds ids in filters, whose memory is planned. */
    boolean hasFilters() {
        return this == MEMORY || this == VERIFIED;
    }

    /** Returns whether its filters hold contents, where those are compared. */
    boolean hasContentsInFilters() {
        return this == MEMORY;
    }

    /** Returns whether the seed of hashes is checked at a restore. */
    boolean checksSeed() {
        return hasFilters();
    }

    /**
     * Refuses ids that were seen elsewhere where they cannot be marked.
     *
     * @throws OptionException with the reason
     */
    void requireAlsoSeen(PassRule rule) {
        Setting other =
                this == LAST
                        ? new Setting(KEEP, Keep.LAST)
                        : rule.limit() > 1 ? new Setting(LIMIT, rule.limit()) : null;
        if (other != null) {
            throw new OptionException(
                    ALSO_SEEN,
                    " and ",
                    other,
                    " exclude each other, but both are set: an id that was seen elsewhere ",
                    this == LAST
                            ? "has no record that could be the last"
                            : "does not say how often, and may come repeatedly",
                    ". Leave one of them out.");
        }
    }

    /** Adds the operator to a stream that is keyed by id. */
    <T, K> SingleOutputStreamOperator<T> apply(KeyedStream<T, Object> keyed, Parts<T, K> parts) {
        WindowSettings settings = parts.settings();
        if (this == LAST) {
            boolean processingTime = settings.timeDomain() == TimeDomain.PROCESSING;
            // In processing time the whole sorted input lies in the window.
            Duration sorted = processingTime ? WindowSettings.MAX_WINDOW : settings.window();
            return keyed.transform(
                    "Deduplicate",
                    keyed.getType(),
                    new SortedInputFactory<>(
                            last(settings.window(), keyed.getType(), parts),
                            last(sorted, keyed.getType(), parts)));
        }
        OptionalSecondInput<T, K, T> forStreams = forStreams(parts);
        OtherEngine<T, K, T> other =
                parts.disk() == null
                        ? null
                        : new OtherEngine<>(STATE.forStreams(parts), parts.backend(), parts.disk());
        OwnBackend backend = other == null ? parts.backend() : null;
        if (parts.alsoSeen() != null) {
            return keyed.connect(StreamKey.keyBy(parts.alsoSeen(), id -> id, parts.hasher()))
                    .transform(
                            "Deduplicate",
                            keyed.getType(),
                            new SecondInputFactory<>(
                                    forStreams,
                                    ALSO_SEEN,
                                    keyed.getExecutionEnvironment(),
                                    backend,
                                    other));
        }
        OneInputStreamOperator<T, T> forSortedInput =
                new SortedDeduplicateOperator<>(
                        settings.windowMillis(),
                        // In processing time the whole input lies in the window.
                        this == FOREVER ? TimeDomain.PROCESSING : settings.timeDomain(),
                        parts.ids(),
                        parts.hasher(),
                        parts.onDuplicate(),
                        parts.conflicts(),
                        parts.onNullId(),
                        parts.rule());
        return keyed.transform(
                "Deduplicate",
                keyed.getType(),
                new SortedInputFactory<>(forStreams, forSortedInput, backend, other));
    }

    private static <T, K> OneInputStreamOperator<T, T> last(
            Duration within, TypeInformation<T> type, Parts<T, K> parts) {
        WindowSettings settings = parts.settings();
        WindowTimers windows =
                new WindowTimers(
                        within,
                        Duration.ofMillis(settings.maxFutureMillis()),
                        settings.timeDomain() == TimeDomain.PROCESSING);
        return new KeyedProcessOperator<>(
                new KeepLast<>(
                        windows,
                        type,
                        parts.ids(),
                        parts.onDuplicate(),
                        parts.conflicts(),
                        parts.onLate(),
                        parts.onNullId()));
    }

    private <T, K> OptionalSecondInput<T, K, T> forStreams(Parts<T, K> parts) {
        return switch (this) {
            case MEMORY ->
                    new DeduplicateOperator<>(
                            parts.settings(),
                            parts.batching(),
                            parts.ids(),
                            parts.hasher(),
                            parts.onDuplicate(),
                            parts.conflicts(),
                            parts.onLate(),
                            parts.onNullId(),
                            parts.rule());
            case VERIFIED ->
                    new VerifyingDeduplicateOperator<>(
                            parts.settings(),
                            parts.ids(),
                            parts.hasher(),
                            parts.onDuplicate(),
                            parts.conflicts(),
                            parts.onLate(),
                            parts.onNullId());
            case STATE, FOREVER ->
                    new StateDeduplicateOperator<>(
                            parts.settings(),
                            this == FOREVER,
                            parts.batching(),
                            parts.ids(),
                            parts.hasher(),
                            parts.onDuplicate(),
                            parts.conflicts(),
                            parts.onLate(),
                            parts.onNullId(),
                            parts.rule());
            case LAST -> throw new AssertionError("it is a function");
        };
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine;

import static java.util.Objects.requireNonNull;

import io.sluice.flink.OnLate;
import io.sluice.flink.OptionException;
import io.sluice.flink.Uid;
import io.sluice.flink.machine.store.StoreKind;
import io.sluice.flink.machine.store.StoreOptions;
import io.sluice.flink.machine.store.WhenFull;
import java.time.Duration;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Experimental;
import org.apache.flink.annotation.Internal;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.ReadableConfig;

/**
 * The options that every operator with a store has.
 *
 * @param <T> type of the records
 * @param <B> the builder itself
 */
@Experimental
public abstract class FollowingBuilder<T, B extends FollowingBuilder<T, B>> {

    private final StoreOptions stores;
    private final List<ConfigOption<?>> known;
    private final Configuration options = new Configuration();
    private @Nullable String uid;
    private OnLate<T> onLate = OnLate.forward();

    @Internal
    protected FollowingBuilder(StoreOptions stores, List<ConfigOption<?>> known) {
        this.stores = stores;
        this.known = known;
    }

    protected abstract B self();

    /** Required. The uid of the operator, which keeps its state across changes of the job. */
    public B uid(String uid) {
        this.uid = uid;
        return self();
    }

    /** Sets what remembers. Default: the exact store. Fixed once there is a savepoint. */
    public B store(StoreKind store) {
        return set(stores.store(), store);
    }

    /**
     * Sets the share of events that may be answered with a wrong state, or not at all, 1e-9 to 0.1.
     * Unless {@link #store} names one, the store is the one that takes the least memory for that
     * and for {@link #expecting}; the log has the choice and its reason. Default: the store is the
     * exact one, and fingerprints that are named are made for 1e-4.
     */
    public B errorProbability(double probability) {
        return set(stores.errorProbability(), probability);
    }

    /** Sets how many are expected of the whole stream at one time. Default 100,000. */
    public B expecting(long number) {
        return set(stores.expecting(), number);
    }

    /** Hard cap on the memory of one subtask. Default 256 MiB. */
    public B memory(MemorySize memory) {
        return set(stores.memory(), memory);
    }

    /** Sets what gives when the memory is used up. Default: what is new is ignored, and counted. */
    public B whenFull(WhenFull whenFull) {
        return set(stores.whenFull(), whenFull);
    }

    /**
     * Sets how far ahead of the watermark a timestamp is believed. An event further ahead is
     * counted, and is followed as if it were exactly that far ahead, so that no wild time is held
     * for years. Default: the longest timeout, at least an hour.
     */
    public B maxFuture(Duration maxFuture) {
        return set(stores.maxFuture(), maxFuture);
    }

    /**
     * Sets what happens to events behind the watermark; they are always counted. Default: followed
     * like others, which is right as long as nothing has timed out that they belong to.
     */
    public B onLate(OnLate<T> onLate) {
        this.onLate = requireNonNull(onLate, "onLate");
        return self();
    }

    /** Takes every option of this operator that {@code configuration} sets. */
    public B configure(ReadableConfig configuration) {
        known.forEach(option -> copy(configuration, option));
        return self();
    }

    private <V> void copy(ReadableConfig configuration, ConfigOption<V> option) {
        configuration.getOptional(option).ifPresent(value -> set(option, value));
    }

    /** Sets one option. */
    @Internal
    protected final <V> B set(ConfigOption<V> option, V value) {
        options.set(option, requireNonNull(value, OptionException.inBuilder(option, null)));
        return self();
    }

    /** What is set, and the defaults of the rest. */
    @Internal
    protected final ReadableConfig options() {
        return options;
    }

    /** The uid, validated. */
    @Internal
    protected final String requireUid() {
        return Uid.require(uid);
    }

    /** What happens to late events. */
    @Internal
    protected final OnLate<T> late() {
        return onLate;
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.seen;

import io.sluice.filter.hash.Hashing;
import io.sluice.filter.hash.SeededHashing;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;

/**
 * Turns keys of one type into the 64-bit hashes that filters take: equal keys must have equal
 * hashes, and different ones, but for chance, different hashes.
 *
 * <pre>{@code
 * Funnel<Order> key = Funnel.strings().on(Order::customer).and(Funnel.longs().on(Order::number));
 * }</pre>
 *
 * <p>The values are those of {@link Hashing}, or of a {@link SeededHashing}, and stable for ever:
 * what was added by a funnel in one process is found by an equal one in another. A key must not be
 * null. All funnels made here are thread-safe if the functions given to {@link #on} are.
 *
 * @param <T> type of the keys
 */
@FunctionalInterface
public interface Funnel<T> {

    /** The hash of {@code key}. */
    long hash(T key);

    /** Keys of type {@code U}, by the part of them that {@code part} takes out. */
    default <U> Funnel<U> on(Function<? super U, ? extends T> part) {
        Objects.requireNonNull(part, "part");
        return key -> hash(part.apply(key));
    }

    /** Keys that are equal if they are equal for this funnel and for {@code next}. */
    default Funnel<T> and(Funnel<? super T> next) {
        Objects.requireNonNull(next, "next");
        return key -> Hashing.combine(hash(key), next.hash(key));
    }

    /** Text, by its UTF-16 code units. */
    static Funnel<CharSequence> strings() {
        return Hashing::hash;
    }

    /** Text, with a seed of your own. */
    static Funnel<CharSequence> strings(SeededHashing hashing) {
        return hashing::hash;
    }

    /** Bytes, by their values. */
    static Funnel<byte[]> bytes() {
        return Hashing::hash;
    }

    /** Bytes, with a seed of your own. */
    static Funnel<byte[]> bytes(SeededHashing hashing) {
        return hashing::hash;
    }

    /** Whole numbers; a value has the same hash as in {@link #ints}, {@link #shorts}. */
    static Funnel<Long> longs() {
        return Hashing::hash;
    }

    /** Whole numbers, with a seed of your own. */
    static Funnel<Long> longs(SeededHashing hashing) {
        return hashing::hash;
    }

    /** Whole numbers; a value has the same hash as in {@link #longs}, {@link #shorts}. */
    static Funnel<Integer> ints() {
        return key -> Hashing.hash(key.longValue());
    }

    /** Whole numbers, with a seed of your own. */
    static Funnel<Integer> ints(SeededHashing hashing) {
        return key -> hashing.hash(key.longValue());
    }

    /** Whole numbers; a value has the same hash as in {@link #longs}, {@link #ints}. */
    static Funnel<Short> shorts() {
        return key -> Hashing.hash(key.longValue());
    }

    /** Whole numbers, with a seed of your own. */
    static Funnel<Short> shorts(SeededHashing hashing) {
        return key -> hashing.hash(key.longValue());
    }

    /**
     * Fractions, as {@link Double#equals} tells them apart: all NaN are equal, 0.0 and -0.0 are
     * not; for those add 0.0 to the key. The hash of 1.0 is not that of the whole number 1.
     */
    static Funnel<Double> doubles() {
        return key -> Hashing.hash(Double.doubleToLongBits(key));
    }

    /** Fractions, with a seed of your own. */
    static Funnel<Double> doubles(SeededHashing hashing) {
        return key -> hashing.hash(Double.doubleToLongBits(key));
    }

    /** UUIDs, by their 128 bits. */
    static Funnel<UUID> uuids() {
        return key -> Hashing.combine(key.getMostSignificantBits(), key.getLeastSignificantBits());
    }
}

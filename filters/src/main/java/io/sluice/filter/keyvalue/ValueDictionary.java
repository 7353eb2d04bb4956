/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.keyvalue;

import io.sluice.filter.FilterFullException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Numbers arbitrary values for a {@link KeyValueBloomFilter}, from 0, in the order of their first
 * occurrence, exactly and in both directions.
 *
 * <p>Departure: the paper keeps value to code word in a second filter (s-kBF). There, a false
 * positive gives a new value the code word of another one for good, and a false negative gives it a
 * second code word. There are far fewer values than keys, and the way back needs all of them
 * anyway, so this is a map and a list. A number is never freed: filters may hold it.
 *
 * <p>To persist it, store {@link #values} in order and restore with {@link #of}. Not thread-safe.
 *
 * @param <V> values with equals and hashCode that do not change
 */
public final class ValueDictionary<V> {

    private final int capacity;
    private final Map<V, Integer> numbers = new HashMap<>();
    private final List<V> values = new ArrayList<>();

    /**
     * @param capacity the most values: {@code values()} of the filter
     */
    public ValueDictionary(int capacity) {
        if (capacity < 1) {
            throw new IllegalArgumentException("capacity must be at least 1, got " + capacity);
        }
        this.capacity = capacity;
    }

    /**
     * A dictionary that has numbered {@code values} in their order.
     *
     * @throws IllegalArgumentException if a value is there twice, or if there are too many
     */
    public static <V> ValueDictionary<V> of(int capacity, List<V> values) {
        if (values.size() > capacity) {
            throw new IllegalArgumentException(
                    "values must be at most " + capacity + ", got " + values.size());
        }
        ValueDictionary<V> dictionary = new ValueDictionary<>(capacity);
        for (V value : values) {
            if (dictionary.find(value) >= 0) {
                throw new IllegalArgumentException("value " + value + " occurs twice");
            }
            dictionary.number(value);
        }
        return dictionary;
    }

    /**
     * The number of {@code value}; it gets a new one if it has none.
     *
     * @throws FilterFullException if it has none and all are used; the dictionary is unchanged
     */
    public int number(V value) {
        Integer known = numbers.get(Objects.requireNonNull(value, "value"));
        if (known != null) {
            return known;
        }
        if (values.size() == capacity) {
            throw new FilterFullException(
                    "all " + capacity + " numbers are used: make a filter with more values");
        }
        numbers.put(value, values.size());
        values.add(value);
        return values.size() - 1;
    }

    /** The number of {@code value}, or -1 if it has none. */
    public int find(V value) {
        return numbers.getOrDefault(value, -1);
    }

    /** The value with this number. */
    public V value(int number) {
        if (number < 0 || number >= values.size()) {
            throw new IllegalArgumentException(
                    "number must be between 0 and " + (values.size() - 1) + ", got " + number);
        }
        return values.get(number);
    }

    /** Values numbered so far. */
    public int size() {
        return values.size();
    }

    /** All values by number, unmodifiable. */
    public List<V> values() {
        return Collections.unmodifiableList(values);
    }
}

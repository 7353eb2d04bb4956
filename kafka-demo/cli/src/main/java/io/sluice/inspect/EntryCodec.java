/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * State of a key group as entries, and back.
 *
 * @param <V> type of the values
 */
abstract class EntryCodec<V> {

    /** Totals of counters. */
    static final EntryCodec<Long> NUMBERS =
            new EntryCodec<>() {
                @Override
                void write(Long value, DataOutputStream to) throws IOException {
                    to.writeLong(value);
                }

                @Override
                Long read(DataInputStream from) throws IOException {
                    return from.readLong();
                }
            };

    /** States of machines, and values as text. */
    static final EntryCodec<String> TEXTS =
            new EntryCodec<>() {
                @Override
                void write(String value, DataOutputStream to) throws IOException {
                    WireText.write(value, to);
                }

                @Override
                String read(DataInputStream from) throws IOException {
                    return WireText.read(from);
                }
            };

    abstract void write(V value, DataOutputStream to) throws IOException;

    abstract V read(DataInputStream from) throws IOException;

    /** Returns the entries of these values. */
    final EntrySet entries(Map<String, V> values) {
        List<byte[]> entries = new ArrayList<>(values.size());
        values.forEach(
                (key, value) -> {
                    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                    try (DataOutputStream to = new DataOutputStream(bytes)) {
                        WireText.write(key, to);
                        write(value, to);
                    } catch (IOException e) {
                        throw new UncheckedIOException("memory cannot fail", e);
                    }
                    entries.add(bytes.toByteArray());
                });
        return EntrySet.of(entries);
    }

    /**
     * Returns the values of entries.
     *
     * @throws IOException if an entry is something else
     */
    final Map<String, V> values(EntrySet entries) throws IOException {
        Map<String, V> values = new TreeMap<>();
        for (int i = 0; i < entries.size(); i++) {
            DataInputStream from = new DataInputStream(new ByteArrayInputStream(entries.entry(i)));
            String key = WireText.read(from);
            V value = read(from);
            if (from.available() > 0 || values.put(key, value) != null) {
                throw new IOException("the other side sent an entry that cannot be one");
            }
        }
        return values;
    }
}

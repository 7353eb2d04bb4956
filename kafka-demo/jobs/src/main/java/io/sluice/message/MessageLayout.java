/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.message;

import java.io.Serializable;
import java.util.List;
import javax.annotation.Nullable;

/**
 * Where a {@link MessageReader} finds ids and times.
 *
 * @param idFields empty if no id is read
 * @param timeField null if Kafka's timestamp is the time
 * @param needsTime whether a record without a time has a problem
 * @param format how times are read
 * @param registry of the schemas of fields in Avro; null if there are none
 * @param tombstones what records without a value are; null if they are like all others
 * @param strict whether values in JSON and Avro are read to their end, so that one that is cut off
 *     behind the id has a problem
 * @param counterFields of the name of the counter that a record adds to; empty if none is read
 * @param deltaField what it adds; null if that is 1
 * @param keyFields of the key of the machine whose event a record is; empty if none is read
 * @param eventField the name of the event; null if none is read
 * @param multiplicityField how many copies of its id a record stands for; null if that is 1
 */
public record MessageLayout(
        List<Field> idFields,
        @Nullable Field timeField,
        boolean needsTime,
        TimeFormat format,
        @Nullable SchemaRegistry registry,
        @Nullable Tombstones tombstones,
        boolean strict,
        List<Field> counterFields,
        @Nullable Field deltaField,
        List<Field> keyFields,
        @Nullable Field eventField,
        @Nullable Field multiplicityField)
        implements Serializable {

    public MessageLayout {
        idFields = List.copyOf(idFields);
        counterFields = List.copyOf(counterFields);
        keyFields = List.copyOf(keyFields);
    }

    /** Makes a layout of ids and times, without counters, machines and copies. */
    public MessageLayout(
            List<Field> idFields,
            @Nullable Field timeField,
            boolean needsTime,
            TimeFormat format,
            @Nullable SchemaRegistry registry,
            @Nullable Tombstones tombstones,
            boolean strict) {
        this(
                idFields,
                timeField,
                needsTime,
                format,
                registry,
                tombstones,
                strict,
                List.of(),
                null,
                List.of(),
                null,
                null);
    }

    /**
     * Returns the same with counters.
     *
     * @param counter at least one
     * @param delta null if a record adds 1
     */
    public MessageLayout counting(List<Field> counter, @Nullable Field delta) {
        return new MessageLayout(
                idFields,
                timeField,
                needsTime,
                format,
                registry,
                tombstones,
                strict,
                counter,
                delta,
                List.of(),
                null,
                null);
    }

    /**
     * Returns the same with machines, and without ids.
     *
     * @param key of the machine, at least one
     */
    public MessageLayout following(List<Field> key, Field event) {
        return new MessageLayout(
                List.of(),
                timeField,
                needsTime,
                format,
                registry,
                tombstones,
                strict,
                List.of(),
                null,
                key,
                event,
                null);
    }

    /**
     * Returns the same with copies of ids.
     *
     * @param multiplicity null if a record stands for 1
     */
    public MessageLayout repeating(@Nullable Field multiplicity) {
        return new MessageLayout(
                idFields,
                timeField,
                needsTime,
                format,
                registry,
                tombstones,
                strict,
                List.of(),
                null,
                List.of(),
                null,
                multiplicity);
    }
}

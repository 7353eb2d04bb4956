/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.message;

import java.io.Serializable;
import java.util.List;
import javax.annotation.Nullable;

/**
 * Where a {@link MessageReader} finds ids and times.
 *
 * @param idFields at least one
 * @param timeField null if Kafka's timestamp is the time
 * @param needsTime whether a record without a time has a problem
 * @param format how times are read
 * @param registry of the schemas of fields in Avro; null if there are none
 * @param tombstones what records without a value are; null if they are like all others
 * @param strict whether values in JSON and Avro are read to their end, so that one that is cut off
 *     behind the id has a problem
 */
public record MessageLayout(
        List<Field> idFields,
        @Nullable Field timeField,
        boolean needsTime,
        TimeFormat format,
        @Nullable SchemaRegistry registry,
        @Nullable Tombstones tombstones,
        boolean strict)
        implements Serializable {

    public MessageLayout {
        idFields = List.copyOf(idFields);
    }
}

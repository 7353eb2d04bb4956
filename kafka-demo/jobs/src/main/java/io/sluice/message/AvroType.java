/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.message;

import java.util.List;
import javax.annotation.Nullable;

/**
 * A type of an Avro schema, as much of it as reading needs. Types may contain themselves.
 *
 * @see AvroSchemaParser
 */
final class AvroType {
    /** The types of Avro's specification. */
    enum Kind {
        NULL,
        BOOLEAN,
        INT,
        LONG,
        FLOAT,
        DOUBLE,
        BYTES,
        STRING,
        RECORD,
        ENUM,
        ARRAY,
        MAP,
        UNION,
        FIXED
    }

    final Kind kind;

    /** Names of a record's fields, or an enum's symbols. */
    List<String> names = List.of();

    /** Types of a record's fields, a union's branches, or an array's or map's values. */
    List<AvroType> types = List.of();

    /** Bytes of a fixed. */
    int size;

    /** What a number counts if its logical type makes it a time; null for other types. */
    @Nullable EpochUnit unit;

    AvroType(Kind kind) {
        this.kind = kind;
    }
}

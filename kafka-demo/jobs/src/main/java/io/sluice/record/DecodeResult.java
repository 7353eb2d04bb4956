/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.record;

/**
 * The verdict of {@link PacketRecordCodec} on some bytes: {@link #OK}, or why they are refused. The
 * {@link #code} goes into dead-letter headers and metrics and never changes.
 */
public enum DecodeResult {
    /** The bytes are a record, and it was decoded. */
    OK("ok"),

    /** Fewer bytes than the shortest record; includes a tombstone (no value). */
    TOO_SHORT("too-short"),

    /** The bytes do not begin with the magic: something else wrote them. */
    FOREIGN("foreign"),

    /** A record of an unknown version. */
    UNKNOWN_VERSION("unknown-version"),

    /** The length field disagrees with the number of bytes or with the IP version. */
    WRONG_LENGTH("wrong-length"),

    /** The checksum disagrees: bytes changed after they were written. */
    WRONG_CHECKSUM("wrong-checksum"),

    /** The checksum is right, but a field is out of range: the writer has a bug. */
    INVALID_FIELD("invalid-field");

    private final String code;

    DecodeResult(String code) {
        this.code = code;
    }

    /** Stable lower-case name, fit for a header or a metric. */
    public String code() {
        return code;
    }

    /** Whether the record may be used. */
    public boolean isOk() {
        return this == OK;
    }
}

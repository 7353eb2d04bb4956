/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.format;

/** Offsets and constants of the envelope; the picture is in the package's description. */
final class Envelope {

    /** "SLCF" read as a little-endian int. */
    static final int MAGIC = 'S' | 'L' << 8 | 'C' << 16 | 'F' << 24;

    static final int MAGIC_OFFSET = 0;
    static final int KIND_OFFSET = MAGIC_OFFSET + Integer.BYTES;
    static final int VERSION_OFFSET = KIND_OFFSET + Short.BYTES;
    static final int HASH_ID_OFFSET = VERSION_OFFSET + Short.BYTES;
    static final int HASH_SEED_OFFSET = HASH_ID_OFFSET + Integer.BYTES;
    static final int PARAMETERS_LENGTH_OFFSET = HASH_SEED_OFFSET + Long.BYTES;
    static final int PAYLOAD_LENGTH_OFFSET = PARAMETERS_LENGTH_OFFSET + Integer.BYTES;
    static final int HEADER_BYTES = PAYLOAD_LENGTH_OFFSET + Long.BYTES;

    static final int CRC_BYTES = Integer.BYTES;

    /** Parameters are a few numbers per generation; anything larger is damage. */
    static final int MAX_PARAMETERS_BYTES = 1 << 20;

    /** Words are copied through a buffer of this size: it stays in the first-level cache. */
    static final int BUFFER_BYTES = 1 << 14;

    private Envelope() {}
}

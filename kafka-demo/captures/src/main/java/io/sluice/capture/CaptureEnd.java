/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture;

/**
 * How a capture ended. In any case, all packets before {@code offset} were read.
 *
 * @param kind whether the file is complete
 * @param packets whole packets read
 * @param offset where reading stopped, in bytes from the beginning after decompression: the end of
 *     the file, or the first byte of the record that is cut or damaged
 * @param message one readable line; empty for a clean end
 */
public record CaptureEnd(Kind kind, long packets, long offset, String message) {
    /** The three ways to end. */
    public enum Kind {
        /** After a whole packet, at the end of the file. */
        CLEAN,

        /** The file stops within a packet: the capture was interrupted, or only partly copied. */
        CUT,

        /** The bytes at the offset cannot be a packet, or the compressed data is corrupt. */
        DAMAGED
    }

    /** Whether the file is complete. */
    public boolean isClean() {
        return kind == Kind.CLEAN;
    }
}

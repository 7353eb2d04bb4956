/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture;

/** Decides how a capture ended. */
final class CaptureEnds {
    private CaptureEnds() {}

    /**
     * The end of {@code input}: clean only if the last record and the compressed data, if any, are
     * complete.
     *
     * @param bytesLeft bytes of an unfinished record
     * @param where what they belong to
     */
    static CaptureEnd atEndOfInput(CaptureInput input, long packets, int bytesLeft, String where) {
        if (!input.damage().isEmpty()) {
            return new CaptureEnd(
                    input.isCompressionCut() ? CaptureEnd.Kind.CUT : CaptureEnd.Kind.DAMAGED,
                    packets,
                    input.offset(),
                    input.file()
                            + ": "
                            + input.damage()
                            + ", at offset "
                            + input.offset()
                            + " of the decompressed file: "
                            + packets
                            + " whole packets before it were read");
        }
        if (bytesLeft == 0) {
            return new CaptureEnd(CaptureEnd.Kind.CLEAN, packets, input.offset(), "");
        }
        return new CaptureEnd(
                CaptureEnd.Kind.CUT,
                packets,
                input.offset(),
                input.file()
                        + ": cut within "
                        + where
                        + ", at offset "
                        + input.offset()
                        + ": "
                        + packets
                        + " whole packets before it were read");
    }

    /** An end at the input's position, which holds something impossible. */
    static CaptureEnd damaged(CaptureInput input, long packets, String what) {
        return new CaptureEnd(
                CaptureEnd.Kind.DAMAGED,
                packets,
                input.offset(),
                input.file()
                        + ": "
                        + what
                        + " at offset "
                        + input.offset()
                        + " cannot be: "
                        + packets
                        + " whole packets before it were read");
    }
}

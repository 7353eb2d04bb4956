/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.format;

import java.io.IOException;

/**
 * The bytes are not what was written: truncated, damaged, or never a filter. Names the source and
 * the offset where this was noticed, counted from the first byte of the envelope.
 */
public final class CorruptFilterException extends IOException {

    private final String source;
    private final long offset;

    public CorruptFilterException(String source, long offset, String problem) {
        super(source + ", offset " + offset + ": " + problem);
        this.source = source;
        this.offset = offset;
    }

    /** What was read: a file name or another description, as given by the reader's caller. */
    public String source() {
        return source;
    }

    /** Where the problem was noticed, in bytes from the beginning of the envelope. */
    public long offset() {
        return offset;
    }
}

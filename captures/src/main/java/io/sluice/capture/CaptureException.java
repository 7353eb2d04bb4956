/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture;

import java.io.IOException;

/**
 * A file is not a capture, or is of an unsupported kind. The message is one line that names the
 * file, the offset and what to do.
 */
public final class CaptureException extends IOException {
    private final String file;
    private final long offset;

    CaptureException(String file, long offset, String problem, String fix) {
        super(file + ": " + problem + " at offset " + offset + ": " + fix);
        this.file = file;
        this.offset = offset;
    }

    /** The file as the caller named it. */
    public String file() {
        return file;
    }

    /** Where the problem is, in bytes from the beginning, after decompression. */
    public long offset() {
        return offset;
    }
}

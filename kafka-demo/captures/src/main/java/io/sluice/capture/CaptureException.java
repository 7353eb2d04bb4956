/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture;

import java.io.IOException;

/**
 * A file is not a capture, or is of an unsupported kind. The message is one line that names the
 * file, the offset if there is one, and what to do.
 */
public final class CaptureException extends IOException {
    private final String file;
    private final long offset;

    CaptureException(String file, long offset, String problem, String fix) {
        this(file + ": " + problem + " at offset " + offset + ": " + fix, file, offset);
    }

    private CaptureException(String message, String file, long offset) {
        super(message);
        this.file = file;
        this.offset = offset;
    }

    /** What cannot even be opened has no offset. */
    static CaptureException unopened(String file, String problem, String fix) {
        return new CaptureException(file + ": " + problem + ": " + fix, file, 0);
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

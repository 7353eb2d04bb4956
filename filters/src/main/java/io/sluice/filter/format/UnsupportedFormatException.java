/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.format;

import java.io.IOException;

/**
 * The bytes are a filter, but in a format that this release does not read: newer, foreign, or too
 * old.
 */
public final class UnsupportedFormatException extends IOException {

    private final int found;
    private final int supported;

    /**
     * @param what the number that does not fit, such as "format version"
     * @param found the number in the bytes
     * @param supported the newest (or only) number that this release reads
     */
    public UnsupportedFormatException(String source, String what, int found, int supported) {
        this(source, what, found, 1, supported);
    }

    /**
     * As above, for numbers that may also be too old.
     *
     * @param oldest the oldest number that this release reads
     */
    UnsupportedFormatException(String source, String what, int found, int oldest, int supported) {
        super(
                source
                        + ": "
                        + what
                        + " "
                        + found
                        + (found < oldest
                                ? " is too old; this release reads from " + oldest + " to "
                                : " is unknown; this release reads up to ")
                        + supported
                        + ". Read it with the release that wrote it"
                        + (found < oldest ? "" : ", or a newer one"));
        this.found = found;
        this.supported = supported;
    }

    /** The version in the bytes. */
    public int found() {
        return found;
    }

    /** The newest version that this release reads. */
    public int supported() {
        return supported;
    }
}

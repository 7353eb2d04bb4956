/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture;

import java.io.IOException;

/** Cuts the bytes of one capture format into packets. */
interface Records {
    /** Fills everything except the header fields of {@code packet}; false at the end. */
    boolean next(Packet packet) throws IOException;

    /** How it ended; only after {@link #next} returned false. */
    CaptureEnd end();
}

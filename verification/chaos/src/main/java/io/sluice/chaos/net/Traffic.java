/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.net;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;

/** How bytes go through a proxy now. Thread-safe. */
final class Traffic {
    private static final int PIECE = 64 << 10;

    private long delayMillis;
    private boolean isCut;

    synchronized void delay(Duration delay) {
        delayMillis = delay.toMillis();
    }

    synchronized void cut() {
        isCut = true;
    }

    synchronized void mend() {
        isCut = false;
        notifyAll();
    }

    /** Copies until the end of {@code from}. */
    void copy(InputStream from, OutputStream to) throws IOException {
        byte[] piece = new byte[PIECE];
        int length;
        while ((length = from.read(piece)) >= 0) {
            awaitPassage();
            to.write(piece, 0, length);
            to.flush();
        }
    }

    /** Waits for the delay, and as long as the network is cut. */
    void awaitPassage() throws IOException {
        try {
            long delay;
            synchronized (this) {
                while (isCut) {
                    wait();
                }
                delay = delayMillis;
            }
            if (delay > 0) {
                Thread.sleep(delay);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }
}

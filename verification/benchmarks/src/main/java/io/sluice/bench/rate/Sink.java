/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.rate;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.OutputStream;

/** Writes into an existing array, so that only the filter is measured. */
public final class Sink extends OutputStream {
    private final byte[] bytes;
    private int size;

    public Sink(int capacity) {
        bytes = new byte[capacity];
    }

    @Override
    public void write(int b) {
        bytes[size++] = (byte) b;
    }

    @Override
    public void write(byte[] from, int offset, int length) {
        System.arraycopy(from, offset, bytes, size, length);
        size += length;
    }

    /** Starts over. */
    public void reset() {
        size = 0;
    }

    public int size() {
        return size;
    }

    /** What was written. */
    public InputStream read() {
        return new ByteArrayInputStream(bytes, 0, size);
    }
}

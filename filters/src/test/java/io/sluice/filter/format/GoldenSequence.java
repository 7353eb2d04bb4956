/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.format;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;

/** A golden file of several filters, one after the other. */
public final class GoldenSequence {

    /** A reader of one filter. */
    public interface Reader<F> {
        F read(InputStream in, String source) throws IOException;
    }

    private final String name;
    private final byte[] golden;
    private final ByteArrayInputStream in;
    private final ByteArrayOutputStream again = new ByteArrayOutputStream();
    private final ByteArrayOutputStream now = new ByteArrayOutputStream();

    /**
     * @param name see {@link GoldenFile#read}
     */
    public GoldenSequence(String name) {
        this.name = name;
        this.golden = GoldenFile.read(name);
        this.in = new ByteArrayInputStream(golden);
    }

    /**
     * The next filter.
     *
     * @param made the same filter, made anew
     */
    public <F extends Persistent> F next(Reader<F> reader, Persistent made) throws IOException {
        F filter = reader.read(in, "golden");
        filter.writeTo(again);
        made.writeTo(now);
        return filter;
    }

    /** That was the last one, and all of them are written as they were. */
    public void assertEnds() {
        assertThat(in.read()).as("nothing follows").isEqualTo(-1);
        assertThat(again.toByteArray()).isEqualTo(golden);
        GoldenFile.assertStillWritten(name, now.toByteArray());
    }
}

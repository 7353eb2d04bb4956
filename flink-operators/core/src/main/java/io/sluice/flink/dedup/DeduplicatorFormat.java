/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import io.sluice.filter.format.FilterReader;
import io.sluice.filter.format.FilterWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * What precedes sample and filter in the persistent form of a {@link Deduplicator}: one envelope of
 * kind 0x4444 ("DD"), without a payload. Version 5 is written unless ids are held with contents.
 *
 * <pre>
 *   parameters:  8 bytes  lag of the clock behind the wall clock
 *                8 bytes  {@link Deduplicator#exactSince}
 *                8 bytes  only in version 6: the time that has to leave the window before no id is
 *                         held in a form of {@link IdForms} that is not its own hash
 * </pre>
 */
final class DeduplicatorFormat {

    static final int KIND = 'D' << 8 | 'D';

    private static final int VERSION = 5;

    private static final int VERSION_WITH_FORMS = 6;

    /** No id is held in another form. */
    static final long NO_FORMS = Long.MIN_VALUE;

    private DeduplicatorFormat() {}

    /** The parameters. */
    record Header(long lag, long exactSince, long formsUntil) {

        void writeTo(OutputStream out) throws IOException {
            int version = formsUntil == NO_FORMS ? VERSION : VERSION_WITH_FORMS;
            ByteBuffer parameters =
                    ByteBuffer.allocate(parameterBytes(version)).order(ByteOrder.LITTLE_ENDIAN);
            parameters.putLong(lag).putLong(exactSince);
            if (version == VERSION_WITH_FORMS) {
                parameters.putLong(formsUntil);
            }
            new FilterWriter(out, KIND, version, parameters.flip(), 0).finish();
        }
    }

    static FilterReader open(InputStream in, String source) throws IOException {
        return new FilterReader(in, source, KIND, VERSION, VERSION_WITH_FORMS);
    }

    private static int parameterBytes(int version) {
        return (version == VERSION_WITH_FORMS ? 3 : 2) * Long.BYTES;
    }

    /** Reads the parameters, and checks that nothing else is there. */
    static Header header(FilterReader reader) throws IOException {
        ByteBuffer parameters = reader.parameters();
        int expected = parameterBytes(reader.version());
        if (parameters.remaining() != expected) {
            throw reader.corrupt(
                    "has " + parameters.remaining() + " bytes of parameters, not " + expected);
        }
        Header header =
                new Header(
                        parameters.getLong(),
                        parameters.getLong(),
                        reader.version() == VERSION_WITH_FORMS ? parameters.getLong() : NO_FORMS);
        reader.finish();
        return header;
    }
}

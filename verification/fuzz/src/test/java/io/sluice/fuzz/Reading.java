/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.fuzz;

import com.sun.management.ThreadMXBean;
import io.sluice.filter.format.CorruptFilterException;
import io.sluice.filter.format.UnsupportedFormatException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;

/**
 * What a reader owes whatever bytes it gets: one of its two exceptions or a value that works, and
 * memory in proportion to the bytes that are there.
 */
public final class Reading {

    /** A reader that is tried. */
    public interface Reader<T> {
        T read(InputStream in, String source) throws IOException;
    }

    /** Uses what was read, and gives its bytes afterwards. */
    public interface Use<T> {
        byte[] use(T value) throws IOException;
    }

    /** Allowed beyond the bytes' share, for buffers of fixed size. */
    private static final long MAX_BYTES = 1 << 20;

    private static final int MAX_PER_BYTE = 64;

    /** The least of them counts: instrumentation and class loading allocate on the same thread. */
    private static final int READINGS = 3;

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private static long accepted;

    private Reading() {}

    /** An input was read, and not refused. */
    public static void accept() {
        accepted++;
    }

    /** How many were. */
    static long accepted() {
        return accepted;
    }

    /**
     * Reads; if that gives a value, uses it, reads what it writes afterwards, and uses that too.
     *
     * @throws AssertionError if the reader takes more memory than the bytes are worth
     */
    public static <T> void isRefusedOrWorks(byte[] bytes, Reader<T> reader, Use<T> use)
            throws IOException {
        T value = read(bytes, reader);
        if (value != null) {
            accept();
            byte[] written = use.use(value);
            use.use(reader.read(new ByteArrayInputStream(written), "written again"));
        }
        long most = MAX_BYTES + (long) MAX_PER_BYTE * bytes.length;
        long least = Long.MAX_VALUE;
        for (int i = 0; i < READINGS && least >= most; i++) {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            T again = read(bytes, reader);
            least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
            check((again == null) == (value == null), "equal bytes have the same fate");
            if (again != null) {
                use.use(again);
            }
        }
        check(least < most, "reading " + bytes.length + " bytes took " + least);
    }

    private static <T> T read(byte[] bytes, Reader<T> reader) throws IOException {
        try {
            return reader.read(new ByteArrayInputStream(bytes), "fuzzed");
        } catch (CorruptFilterException | UnsupportedFormatException refused) {
            return null;
        }
    }

    /** A contract of what was read. */
    public static void check(boolean holds, String contract) {
        if (!holds) {
            throw new AssertionError(contract);
        }
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import io.sluice.filter.format.CorruptFilterException;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;

/**
 * Damage.
 *
 * @param file that has it
 * @param offset in the file where it was noticed; null if it is the whole file
 * @param what is wrong
 */
@Internal
public record Problem(String file, @Nullable Long offset, String what) {

    /**
     * From what a reader has thrown.
     *
     * @param base where in the file the reader began to count
     */
    static Problem of(StoredStream stream, long base, Exception thrown) {
        if (thrown instanceof CorruptFilterException corrupt) {
            String message = String.valueOf(corrupt.getMessage());
            String prefix = corrupt.source() + ", offset " + corrupt.offset() + ": ";
            return new Problem(
                    stream.name(),
                    stream.startsAt() + base + corrupt.offset(),
                    message.startsWith(prefix) ? message.substring(prefix.length()) : message);
        }
        return new Problem(stream.name(), null, text(thrown));
    }

    /** Returns what an exception says, which may have no message. */
    static String text(Exception thrown) {
        return thrown.getMessage() == null ? thrown.toString() : thrown.getMessage();
    }

    @Override
    public String toString() {
        return file + (offset == null ? "" : ", offset " + offset) + ": " + what;
    }
}

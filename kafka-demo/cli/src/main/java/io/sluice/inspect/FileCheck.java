/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import java.util.List;
import org.apache.flink.annotation.Internal;

/**
 * What became of the check of a file, of a part of one, or of bytes in the metadata.
 *
 * @param file its path; {@code in _metadata} if it has none
 * @param operator whose state it is
 * @param subtask index; -1 if it is the operator's
 * @param role what is in it
 * @param bytes as the metadata says
 * @param checkedBytes those whose checksums were right
 * @param status the whole result in one word
 * @param problems damage, in the order in which it was found
 */
@Internal
public record FileCheck(
        String file,
        String operator,
        int subtask,
        String role,
        long bytes,
        long checkedBytes,
        Status status,
        List<Problem> problems) {

    /** Results. */
    public enum Status {
        /** Every byte is what was written. */
        OK,
        /** Some bytes are what was written; the others have no checksum that is known here. */
        PARTLY,
        /** No byte has a checksum that is known here; all could be read. */
        UNCHECKED,
        /** Something is not what was written, or is gone. */
        DAMAGED
    }

    public FileCheck {
        problems = List.copyOf(problems);
    }
}

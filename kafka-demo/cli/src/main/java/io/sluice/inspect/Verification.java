/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import java.util.List;
import org.apache.flink.annotation.Internal;

/**
 * The result of reading every byte of a checkpoint.
 *
 * @param version of the JSON form
 * @param path of the directory
 * @param alsoThere other checkpoints in the directory that was given; this one is the latest
 * @param ok whether no damage was found
 * @param bytes of all files, {@code _metadata} included
 * @param checkedBytes those whose checksums were right
 * @param uncheckedBytes those that have no checksum that is known here
 * @param files all of them
 */
@Internal
public record Verification(
        int version,
        String path,
        List<String> alsoThere,
        long checkpointId,
        boolean ok,
        long bytes,
        long checkedBytes,
        long uncheckedBytes,
        List<FileCheck> files) {

    static final int VERSION = 1;

    public Verification {
        alsoThere = List.copyOf(alsoThere);
        files = List.copyOf(files);
    }

    /** All damage. */
    public List<Problem> problems() {
        return files.stream().flatMap(file -> file.problems().stream()).toList();
    }
}

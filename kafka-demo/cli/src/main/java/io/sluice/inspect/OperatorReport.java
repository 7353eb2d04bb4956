/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;

/**
 * An operator in a checkpoint.
 *
 * @param uid null if the metadata does not say
 * @param name null if the metadata does not say
 * @param hash what Flink finds its state by
 * @param finished whether all its subtasks had ended
 * @param bytes of all its state
 */
@Internal
public record OperatorReport(
        @Nullable String uid,
        @Nullable String name,
        String hash,
        int parallelism,
        int maxParallelism,
        boolean finished,
        long bytes,
        List<StateReport> states,
        List<FileReport> files) {

    public OperatorReport {
        states = List.copyOf(states);
        files = List.copyOf(files);
    }

    /** The best name there is. */
    public String title() {
        return uid != null ? uid : name != null ? name : hash;
    }
}

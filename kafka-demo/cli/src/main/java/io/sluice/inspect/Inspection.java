/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import java.util.List;
import org.apache.flink.annotation.Internal;

/**
 * What is in a checkpoint or savepoint.
 *
 * @param version of the JSON form
 * @param path of the directory
 * @param alsoThere other checkpoints in the directory that was given; this one is the latest
 * @param kind checkpoint, native savepoint or canonical savepoint
 * @param metadataBytes length of {@code _metadata}
 * @param bytes of everything, each file counted once
 * @param files distinct ones, {@code _metadata} not counted
 * @param problems what could not be read
 */
@Internal
public record Inspection(
        int version,
        String path,
        List<String> alsoThere,
        String kind,
        long checkpointId,
        long metadataBytes,
        long bytes,
        int files,
        List<OperatorReport> operators,
        List<Problem> problems) {

    static final int VERSION = 1;

    public Inspection {
        alsoThere = List.copyOf(alsoThere);
        operators = List.copyOf(operators);
        problems = List.copyOf(problems);
    }
}

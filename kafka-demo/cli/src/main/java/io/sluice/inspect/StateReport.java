/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import java.util.Map;
import org.apache.flink.annotation.Internal;

/** A state of an operator in a checkpoint, over all subtasks. */
@Internal
public sealed interface StateReport permits FilterReport, CascadeReport, OtherReport {

    /** What it can be recognised by in another checkpoint of the same operator. */
    String state();

    /** What keeps it. */
    String engine();

    /** Bytes in the checkpoint. */
    long bytes();

    /** What is known of it, by name, in the order in which to tell it; numbers and text. */
    Map<String, Object> facts();
}

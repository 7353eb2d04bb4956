/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.plan;

import java.util.List;
import org.apache.flink.annotation.Internal;

/** What deduplication of a stream takes. */
@Internal
public sealed interface Plan permits WindowPlan, CascadePlan {

    /** Whether what was given fits together. */
    boolean fits();

    /** The plan as people read it. */
    List<Line> lines();

    /**
     * One line.
     *
     * @param name what it is about; empty if that is what the line before is about
     * @param text numbers with their units
     */
    record Line(String name, String text) {}
}

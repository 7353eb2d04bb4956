/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.plan;

import org.apache.flink.annotation.Internal;

/** Where ids are kept. */
@Internal
public enum PlanEngine {
    /** In the filters of {@code Deduplicate} and {@code IdempotentCounters}, for a window. */
    OPERATOR,
    /** In the cascade state backend, for ever or with a time-to-live. */
    CASCADE
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.snapshot;

import org.apache.flink.annotation.Internal;

/**
 * Describes a membership state, without its contents.
 *
 * @param name of the state
 * @param falsePositiveProbability that it was configured with
 * @param timeToLiveMillis 0 if it has none
 * @param namespaceScheme which part of a namespace is hashed; empty if it only has the void
 *     namespace
 */
@Internal
public record MembershipInfo(
        String name,
        double falsePositiveProbability,
        long timeToLiveMillis,
        String namespaceScheme) {}

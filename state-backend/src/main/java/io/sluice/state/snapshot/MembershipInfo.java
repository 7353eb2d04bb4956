/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.snapshot;

import org.apache.flink.annotation.Internal;

/**
 * What a membership state is, beside what it holds.
 *
 * @param name of the state
 * @param falsePositiveProbability that it was asked for with
 * @param timeToLiveMillis 0 if it has none
 * @param namespaceScheme what of a namespace is hashed; empty if it only has the void namespace
 */
@Internal
public record MembershipInfo(
        String name,
        double falsePositiveProbability,
        long timeToLiveMillis,
        String namespaceScheme) {}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.snapshot;

import org.apache.flink.annotation.Internal;

/**
 * Describes a membership state, without its contents.
 *
 * @param name of the state
 * @param falsePositiveProbability that it was configured with
 * @param timeToLiveMillis 0 if it has none
 * @param namespaceScheme what is hashed beside the key: which part of a namespace, empty if it only
 *     has the void namespace; and which part of the keys of a map, as {@code map(...)}
 */
@Internal
public record MembershipInfo(
        String name,
        double falsePositiveProbability,
        long timeToLiveMillis,
        String namespaceScheme) {}

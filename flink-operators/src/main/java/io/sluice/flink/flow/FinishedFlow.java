/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import org.apache.flink.api.common.typeinfo.TypeInfo;

/**
 * A flow that is over. There is at most one of each connection.
 *
 * @param flow its id, a hash of its endpoints
 * @param state how it ended, or how it stood when it timed out
 * @param timedOut whether it was idle for too long; known of single flows with an exact store only
 * @param millis event time of the packet that ended it, or when its timeout was over
 */
@TypeInfo(FlowTypes.OfFinishedFlow.class)
public record FinishedFlow(long flow, ConnState state, boolean timedOut, long millis) {}

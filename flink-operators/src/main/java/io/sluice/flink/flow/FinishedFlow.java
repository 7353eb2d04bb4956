/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.flow;

import javax.annotation.Nullable;
import org.apache.flink.api.common.typeinfo.TypeInfo;

/**
 * A flow that is over. There is at most one of each connection.
 *
 * <p>Stores know a flow by the hash of its endpoints, so the endpoints are those of the packet that
 * ended it. A flow that timed out has none, with either store: to keep them would more than double
 * the 12 bytes that the exact store takes for a flow, and the key-value filter does not even know
 * which flows timed out, so it makes no record of them. What is left is the id; whoever sees the
 * packets can hash the same endpoints.
 *
 * @param flow its id, a hash of its endpoints
 * @param state how it ended, or how it stood when it timed out
 * @param timedOut whether it was idle for too long; known of single flows with an exact store only
 * @param millis event time of the packet that ended it, or when its timeout was over
 * @param ends the originator and the responder; of an {@link ConnState#OTH} flow, of which nobody
 *     saw who began, sender and receiver of its last packet. Null if it timed out, or where {@link
 *     TcpView#endpoints} does not know
 */
@TypeInfo(FlowTypes.OfFinishedFlow.class)
public record FinishedFlow(
        long flow, ConnState state, boolean timedOut, long millis, @Nullable Endpoints ends) {}

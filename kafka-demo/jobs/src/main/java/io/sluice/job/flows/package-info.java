/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The job that follows TCP flows.
 *
 * <pre>
 *   packets -> IncomingSchema -> split -> FlowStateMachine -> flows topic         FinishedFlowSchema
 *                                  |        '------ alerts -> alerts topic        FlowAlertSchema
 *                                  '-- not a packet record -> dead letters        DeadLetterSchema
 * </pre>
 */
package io.sluice.job.flows;

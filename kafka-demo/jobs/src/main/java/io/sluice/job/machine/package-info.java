/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The job that follows a state machine of one's own for each key of any topic.
 *
 * <pre>
 *   topics -> split -> Machines -> machines topic  MachineReportSchema
 *               |          |  '--> alerts topic    MachineReportSchema
 *               |          '-- too old ----------> late events, if asked for
 *               '-- not an event ----------------> dead letters DeadLetterSchema
 * </pre>
 */
package io.sluice.job.machine;

/* SPDX-License-Identifier: Apache-2.0 */
/** Packet records as the input of a job, and what each job keeps of them. */
package io.sluice.job.packet;

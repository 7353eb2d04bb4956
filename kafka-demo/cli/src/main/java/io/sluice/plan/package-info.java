/* SPDX-License-Identifier: Apache-2.0 */
/**
 * What deduplication of a stream takes, and what fits into what there is: {@link
 * io.sluice.plan.WindowPlan} for a window in the operators' filters, {@link
 * io.sluice.plan.CascadePlan} for the state backend. All arithmetic is that of the operators and
 * the backend themselves.
 */
package io.sluice.plan;

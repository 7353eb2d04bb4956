/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The job of one of two replicas that repair their differences.
 *
 * <pre>
 *   records -------> split -> Reconcile -> corrections, reports, elements, late
 *   peer's topics -> bytes ----'  '-----> digest, filter and repair topics
 * </pre>
 */
package io.sluice.job.reconcile;

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

/**
 * Whose half of the exchanges it is.
 *
 * @param group key group, from 0
 * @param incarnation at least 1; greater after each start without state, which messages say
 */
record Side(ReconcileSettings settings, int group, long incarnation) {}

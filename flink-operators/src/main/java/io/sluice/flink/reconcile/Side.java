/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

/**
 * Identifies one side's half of the exchanges.
 *
 * @param group key group, from 0
 * @param incarnation at least 1; larger after each start without state; sent with messages
 */
record Side(ReconcileSettings settings, int group, long incarnation) {}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.fault;

import java.time.Duration;

/**
 * One thing that goes wrong.
 *
 * @param number from 1
 * @param pause before it
 * @param length of what lasts
 * @param target selects a process or a job, whose number it is modulo how many there are
 * @param variation seed of what else there is to choose
 * @param awaitsRecovery whether the next fault waits until all jobs are well again
 */
public record Fault(
        int number,
        FaultKind kind,
        Duration pause,
        Duration length,
        int target,
        long variation,
        boolean awaitsRecovery) {}

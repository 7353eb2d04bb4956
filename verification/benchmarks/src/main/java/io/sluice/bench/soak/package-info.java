/* SPDX-License-Identifier: Apache-2.0 */
/**
 * {@code bench soak}: two jobs at full rate for hours, with failures, and whether anything grows.
 * {@link io.sluice.bench.soak.SoakIds} knows by arithmetic what has to pass, {@link
 * io.sluice.bench.soak.SoakTally} counts what did, {@link io.sluice.bench.soak.SoakSampler} samples
 * the process, {@link io.sluice.bench.soak.Thirds} judges.
 */
package io.sluice.bench.soak;

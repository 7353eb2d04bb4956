/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The filters with a window alone, on one thread: {@link io.sluice.bench.window.FilterRates}
 * (throughput beside the limit and published filters), {@link io.sluice.bench.window.FilterCosts}
 * (memory, pauses, snapshots).
 */
package io.sluice.bench.window;

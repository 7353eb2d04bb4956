/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Only the filters with a window, on one thread: {@link io.sluice.bench.window.FilterRates}
 * (throughput beside the limit and published filters), {@link io.sluice.bench.window.FilterCosts}
 * (memory, pauses, snapshots).
 */
package io.sluice.bench.window;

/* SPDX-License-Identifier: Apache-2.0 */
/** The windowed filter as a contender: {@link io.sluice.bench.window.WindowedStructure}. */
package io.sluice.bench.window;

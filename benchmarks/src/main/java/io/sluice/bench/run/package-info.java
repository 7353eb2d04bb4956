/* SPDX-License-Identifier: Apache-2.0 */
/** What every benchmark needs to run: its options, its random numbers. */
package io.sluice.bench.run;

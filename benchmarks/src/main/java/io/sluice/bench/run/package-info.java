/* SPDX-License-Identifier: Apache-2.0 */
/**
 * What every benchmark needs to run: its options, its random numbers, its clock, the job to compare
 * with.
 */
package io.sluice.bench.run;

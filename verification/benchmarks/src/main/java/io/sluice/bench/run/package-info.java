/* SPDX-License-Identifier: Apache-2.0 */
/**
 * What every benchmark needs: its options ({@link io.sluice.bench.run.BenchCommand}), the values of
 * what takes turns ({@link io.sluice.bench.run.Rates}), how far a job is ({@link
 * io.sluice.bench.run.Progress}), and the job to compare with ({@link
 * io.sluice.bench.run.FirstOnly}).
 */
package io.sluice.bench.run;

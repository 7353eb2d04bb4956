/* SPDX-License-Identifier: Apache-2.0 */
/**
 * How throughput is measured: structures on one thread, beside the limit of the machine ({@link
 * io.sluice.bench.rate.OneLineLimit}, one random cache line per operation), in rounds that take
 * turns so that a slow minute hits all ({@link io.sluice.bench.rate.Rounds}).
 *
 * <p>Reading order: {@link io.sluice.bench.rate.RatedStructure} (what takes part, one operation at
 * a time), {@link io.sluice.bench.run.Keys} (which keys are looked up), {@link
 * io.sluice.bench.rate.Contender} (many operations, in loops that are compiled separately for each
 * structure), {@link io.sluice.bench.rate.Life} (which of them are timed, beside the limit).
 */
package io.sluice.bench.rate;

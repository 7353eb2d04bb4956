/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Holds the options that the builders of deduplication and counters share.
 *
 * <p>Read in this order:
 *
 * <ol>
 *   <li>{@link io.sluice.flink.WindowedOptions}: window, error, memory and clock as Flink
 *       configuration: keys, defaults, meanings.
 *   <li>{@link io.sluice.flink.WindowedBuilder}: the same options as methods, shared by the
 *       builders of {@code io.sluice.flink.dedup} and {@code io.sluice.flink.counter}.
 *   <li>{@link io.sluice.flink.WindowSettings}: the options of one operator, checked; {@link
 *       io.sluice.flink.OptionException} says what is wrong with one.
 *   <li>{@link io.sluice.flink.OnDuplicate}, {@link io.sluice.flink.OnLate}, {@link
 *       io.sluice.flink.OnNullId}: what happens to records that do not pass.
 *   <li>{@link io.sluice.flink.BelievableWatermarks}: watermarks that no wild timestamp moves.
 * </ol>
 */
package io.sluice.flink;

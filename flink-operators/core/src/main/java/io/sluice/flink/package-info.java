/* SPDX-License-Identifier: Apache-2.0 */
/**
 * What users of several operators name: the options that their builders share.
 *
 * <p>Read in this order:
 *
 * <ol>
 *   <li>{@link io.sluice.flink.WindowSettings}: window, error, memory; what each option means.
 *   <li>{@link io.sluice.flink.WindowedBuilder}: the same options as methods, shared by the
 *       builders of {@code io.sluice.flink.dedup} and {@code io.sluice.flink.counter}.
 *   <li>{@link io.sluice.flink.OnDuplicate}, {@link io.sluice.flink.OnLate}, {@link
 *       io.sluice.flink.OnNullId}: what happens to records that do not pass.
 *   <li>{@link io.sluice.flink.BelievableWatermarks}: watermarks that no wild timestamp moves.
 * </ol>
 */
package io.sluice.flink;

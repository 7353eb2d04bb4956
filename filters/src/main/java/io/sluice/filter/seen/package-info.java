/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Answers "have I seen this id?" for ids of your own types: {@link
 * io.sluice.filter.seen.SeenWithin} for a window, {@link io.sluice.filter.seen.Seen} for ever. A
 * {@link io.sluice.filter.seen.Funnel} hashes the ids.
 */
package io.sluice.filter.seen;

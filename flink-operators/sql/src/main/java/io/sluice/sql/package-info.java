/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Brings deduplication to SQL with the functions {@code DEDUPLICATE}, {@code
 * DEDUPLICATE_KEEP_FIRST}, {@code DEDUPLICATE_WINDOW}.
 *
 * <p>Read in this order:
 *
 * <ol>
 *   <li>{@link io.sluice.sql.SluiceModule}: what {@code LOAD MODULE sluice} brings.
 *   <li>{@code DeduplicateDefinition}, {@code KeepFirstDefinition}, {@code
 *       DeduplicateWindowDefinition}: the arguments, and which function a call becomes.
 *   <li>{@code FirstRowFunction}, {@code FirstToArriveFunction}, {@code BestRowFunction}, {@code
 *       FirstInTimeFunction}, {@code WindowFunction}: what happens to a row.
 *   <li>{@code SeenFlag}: the flag that a state backend may keep in a filter.
 * </ol>
 */
package io.sluice.sql;

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter;

/**
 * A record of an input.
 *
 * @param number tells it from all others of its input; counts from 0
 * @param partition in which it lies
 * @param id by which it is deduplicated
 * @param time its own, in milliseconds
 */
public record Occurrence(int number, int partition, long id, long time) {}

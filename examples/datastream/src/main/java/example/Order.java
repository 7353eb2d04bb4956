/* SPDX-License-Identifier: Apache-2.0 */
package example;

/**
 * @param timestamp when it was placed, in milliseconds
 */
public record Order(String id, long amount, long timestamp) {}

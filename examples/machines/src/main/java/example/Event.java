/* SPDX-License-Identifier: Apache-2.0 */
package example;

/**
 * @param key whose machine it is an event of
 * @param event its name in the machine's file
 * @param timestamp when it happened, in milliseconds
 */
public record Event(String key, String event, long timestamp) {}

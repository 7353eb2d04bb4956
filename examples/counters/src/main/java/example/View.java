/* SPDX-License-Identifier: Apache-2.0 */
package example;

/**
 * @param requestId what a request has in common with its retries
 * @param timestamp when it was made, in milliseconds
 */
public record View(String page, String requestId, long timestamp) {}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.report;

/**
 * A claim that a run verified or refuted.
 *
 * @param name dotted and stable
 * @param ok false ends the command with exit code 1
 * @param detail one line: what was compared, how often, and the worst case
 */
public record Check(String name, boolean ok, String detail) {}

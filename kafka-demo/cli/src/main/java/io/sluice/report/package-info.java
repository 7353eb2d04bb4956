/* SPDX-License-Identifier: Apache-2.0 */
/**
 * What a run leaves behind. {@link io.sluice.report.DemoReport} is {@code report.json}, field by
 * field; {@link io.sluice.report.ReportFiles} writes it, and a page with the same data as plots,
 * which needs neither network nor server. Both files appear completely or not at all.
 */
package io.sluice.report;

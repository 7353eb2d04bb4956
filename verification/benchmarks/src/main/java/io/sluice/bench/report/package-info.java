/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The results of every benchmark: {@link io.sluice.bench.report.BenchReport} collects named {@link
 * io.sluice.bench.report.Figure}s and writes them as JSON with the machine and the commit, {@link
 * io.sluice.bench.report.CsvTable} holds the points, {@link io.sluice.bench.report.ChartPage} draws
 * them in one HTML file that needs no network.
 */
package io.sluice.bench.report;

/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The results of every benchmark: {@link io.sluice.bench.report.BenchReport} collects named {@link
 * io.sluice.bench.report.Figure}s and checks and writes them with the machine and the commit, as
 * JSON and as one HTML file that needs no network and draws each {@link
 * io.sluice.bench.report.Chart}; {@link io.sluice.bench.report.Table} holds the points.
 */
package io.sluice.bench.report;

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.kbf;

import io.sluice.bench.report.BenchReport;
import io.sluice.bench.run.ReferenceTables;
import java.util.Optional;

/**
 * What the tables of one run share.
 *
 * @param keys in each filter of a static comparison
 * @param flows in each filter of the churn
 * @param greedyBits how far the greedy search goes
 */
record KbfRun(
        BenchReport report,
        Optional<ReferenceTables> reference,
        int keys,
        int flows,
        int greedyBits,
        long seed) {}

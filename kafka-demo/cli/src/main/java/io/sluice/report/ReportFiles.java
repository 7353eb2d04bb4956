/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.report;

import io.sluice.capture.AtomicFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** Writes {@code report.json} and the page that shows it, {@code report.html}. Stateless. */
public final class ReportFiles {
    /** Names of the files in the folder. */
    public static final String JSON = "report.json";

    public static final String HTML = "report.html";

    /** The page of a {@link DemoReport}. */
    public static final String DEMO = "report.html";

    /** The page of the demonstration of two replicas. */
    public static final String RECONCILE = "reconcile.html";

    private ReportFiles() {}

    /**
     * Writes both files into {@code folder}, replacing older ones.
     *
     * @param template of the page: {@link #DEMO} or {@link #RECONCILE}
     * @throws IOException if one cannot be written; it is then as it was before
     */
    public static void write(Object report, String template, Path folder) throws IOException {
        byte[] json = (ReportPage.json(report) + "\n").getBytes(StandardCharsets.UTF_8);
        byte[] page =
                ReportPage.of(report, ReportFiles.class, template).getBytes(StandardCharsets.UTF_8);
        AtomicFile.write(folder.resolve(HTML), out -> out.write(page));
        // Last, so that if it exists, the page exists too.
        AtomicFile.write(folder.resolve(JSON), out -> out.write(json));
    }
}

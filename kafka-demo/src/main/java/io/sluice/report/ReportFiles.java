/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
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

    private static final String STYLE_MARK = "/*STYLE*/";
    private static final String SCRIPT_MARK = "/*ECHARTS*/";
    private static final String COMMON_MARK = "/*COMMON*/";
    private static final String DATA_MARK = "/*DATA*/null";

    private static final ObjectMapper MAPPER =
            new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

    private ReportFiles() {}

    /** The report, a record of numbers and text, as it is in {@code report.json}. */
    public static String json(Object report) {
        try {
            return MAPPER.writeValueAsString(report);
        } catch (JsonProcessingException e) {
            throw new AssertionError("a report of numbers and text has a JSON form", e);
        }
    }

    /**
     * Writes both files into {@code folder}, replacing older ones.
     *
     * @param template of the page: {@link #DEMO} or {@link #RECONCILE}
     * @throws IOException if one cannot be written; it is then as it was before
     */
    public static void write(Object report, String template, Path folder) throws IOException {
        byte[] json = (json(report) + "\n").getBytes(StandardCharsets.UTF_8);
        byte[] page = page(report, template).getBytes(StandardCharsets.UTF_8);
        AtomicFile.write(folder.resolve(HTML), out -> out.write(page));
        // Last, so that if it exists, the page exists too.
        AtomicFile.write(folder.resolve(JSON), out -> out.write(json));
    }

    private static String page(Object report, String template) throws IOException {
        // Inside a script element only "</" and "<!--" could end the data early.
        String data = json(report).replace("<", "\\u003c");
        StringBuilder page = new StringBuilder(DrawingLibrary.resource(template));
        // The data last: nothing in them is taken for a mark.
        put(page, STYLE_MARK, DrawingLibrary.resource("page.css"));
        put(page, COMMON_MARK, DrawingLibrary.resource("page.js"));
        int script = page.indexOf(SCRIPT_MARK);
        int value = page.indexOf(DATA_MARK);
        if (script < 0 || value < script) {
            throw new AssertionError(template + " lacks its placeholders");
        }
        page.replace(value, value + DATA_MARK.length(), data);
        page.replace(script, script + SCRIPT_MARK.length(), DrawingLibrary.source());
        return page.toString();
    }

    private static void put(StringBuilder page, String mark, String text) {
        int at = page.indexOf(mark);
        if (at < 0) {
            throw new AssertionError("the page lacks " + mark);
        }
        page.replace(at, at + mark.length(), text);
    }
}

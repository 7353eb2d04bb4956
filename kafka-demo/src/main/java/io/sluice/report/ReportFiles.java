/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.sluice.capture.AtomicFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** Writes {@code report.json} and {@code report.html}. Stateless. */
public final class ReportFiles {
    /** Names of the files in the folder. */
    public static final String JSON = "report.json";

    public static final String HTML = "report.html";

    private static final String TEMPLATE = "report.html";

    private static final String SCRIPT_MARK = "/*ECHARTS*/";
    private static final String DATA_MARK = "/*DATA*/null";

    private static final ObjectMapper MAPPER =
            new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

    private ReportFiles() {}

    /** The report as it is in {@code report.json}. */
    public static String json(DemoReport report) {
        try {
            return MAPPER.writeValueAsString(report);
        } catch (JsonProcessingException e) {
            throw new AssertionError("a report of numbers and text has a JSON form", e);
        }
    }

    /**
     * Writes both files into {@code folder}, replacing older ones.
     *
     * @throws IOException if one cannot be written; it is then as it was before
     */
    public static void write(DemoReport report, Path folder) throws IOException {
        byte[] json = (json(report) + "\n").getBytes(StandardCharsets.UTF_8);
        byte[] page = page(report).getBytes(StandardCharsets.UTF_8);
        AtomicFile.write(folder.resolve(HTML), out -> out.write(page));
        // Last, so that if it exists, the page exists too.
        AtomicFile.write(folder.resolve(JSON), out -> out.write(json));
    }

    private static String page(DemoReport report) throws IOException {
        // Inside a script element only "</" and "<!--" could end the data early.
        String data = json(report).replace("<", "\\u003c");
        String template = DrawingLibrary.resource(TEMPLATE);
        int script = template.indexOf(SCRIPT_MARK);
        int value = template.indexOf(DATA_MARK);
        if (script < 0 || value < script) {
            throw new AssertionError("the template lacks its placeholders");
        }
        return template.substring(0, script)
                + DrawingLibrary.source()
                + template.substring(script + SCRIPT_MARK.length(), value)
                + data
                + template.substring(value + DATA_MARK.length());
    }
}

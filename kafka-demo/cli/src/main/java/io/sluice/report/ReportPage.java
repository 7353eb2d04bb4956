/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/**
 * One file with everything in it: a template, the look that all reports share, the library that
 * draws, and the data. Stateless.
 */
public final class ReportPage {
    private static final String STYLE_MARK = "/*STYLE*/";
    private static final String SCRIPT_MARK = "/*ECHARTS*/";
    private static final String COMMON_MARK = "/*COMMON*/";
    private static final String DATA_MARK = "/*DATA*/null";

    private static final ObjectMapper MAPPER =
            new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

    private ReportPage() {}

    /** A report, a record or map of numbers and text, as JSON. */
    public static String json(Object report) {
        try {
            return MAPPER.writeValueAsString(report);
        } catch (JsonProcessingException e) {
            throw new AssertionError("a report of numbers and text has a JSON form", e);
        }
    }

    /**
     * The page.
     *
     * @param report what the script of the template finds as its data
     * @param owner a class of the package that has the template
     * @param template its name
     */
    public static String of(Object report, Class<?> owner, String template) throws IOException {
        // Inside a script element only "</" and "<!--" could end the data early.
        String data = json(report).replace("<", "\\u003c");
        StringBuilder page = new StringBuilder(resource(owner, template));
        // The data last: nothing in them is taken for a mark.
        put(page, STYLE_MARK, resource(ReportPage.class, "page.css"));
        put(page, COMMON_MARK, resource(ReportPage.class, "page.js"));
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

    static String resource(Class<?> owner, String name) throws IOException {
        try (InputStream in = owner.getResourceAsStream(name)) {
            if (in == null) {
                throw new FileNotFoundException(
                        "resource "
                                + name
                                + " is not on the class path: run through ./sluice, which sets it"
                                + " up");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}

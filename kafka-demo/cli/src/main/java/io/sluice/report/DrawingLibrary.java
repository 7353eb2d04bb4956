/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.report;

import java.io.IOException;
import java.io.StringReader;
import java.util.Properties;

/** The library that draws plots, for embedding into a page that opens without a network. */
final class DrawingLibrary {
    private static final String POM = "/META-INF/maven/org.webjars.npm/echarts/pom.properties";

    private DrawingLibrary() {}

    /** Its JavaScript, from its jar, whose version is part of the path. */
    static String source() throws IOException {
        Properties pom = new Properties();
        pom.load(new StringReader(ReportPage.resource(DrawingLibrary.class, POM)));
        return ReportPage.resource(
                DrawingLibrary.class,
                "/META-INF/resources/webjars/echarts/"
                        + pom.getProperty("version")
                        + "/dist/echarts.min.js");
    }
}

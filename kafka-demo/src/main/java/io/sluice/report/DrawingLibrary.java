/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.report;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.Properties;

/** The library that draws plots, for embedding into a page that opens without a network. */
public final class DrawingLibrary {
    private static final String POM = "/META-INF/maven/org.webjars.npm/echarts/pom.properties";

    private DrawingLibrary() {}

    /** Its JavaScript, from its jar, whose version is part of the path. */
    public static String source() throws IOException {
        Properties pom = new Properties();
        pom.load(new StringReader(resource(POM)));
        return resource(
                "/META-INF/resources/webjars/echarts/"
                        + pom.getProperty("version")
                        + "/dist/echarts.min.js");
    }

    static String resource(String name) throws IOException {
        try (InputStream in = DrawingLibrary.class.getResourceAsStream(name)) {
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

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/** The version that was built, and the commit if the script {@code sluice} knows it. */
final class SluiceVersion implements IVersionProvider {
    private static final String RESOURCE = "version.properties";

    /** System property with the commit of the checkout. */
    private static final String COMMIT = "sluice.commit";

    @Override
    public String[] getVersion() {
        String commit = System.getProperty(COMMIT, "");
        return new String[] {
            "sluice " + built() + (commit.isEmpty() ? "" : " (commit " + commit + ")"),
            "Java " + System.getProperty("java.version") + ", " + System.getProperty("os.name")
        };
    }

    private static String built() {
        Properties properties = new Properties();
        try (InputStream resource = SluiceVersion.class.getResourceAsStream(RESOURCE)) {
            properties.load(resource);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return properties.getProperty("version");
    }
}

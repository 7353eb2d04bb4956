/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import io.sluice.inspect.CheckpointLocation;
import io.sluice.inspect.StoredCheckpoint;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.plugin.PluginUtils;
import picocli.CommandLine.Option;

/** How the commands on checkpoints find what they read. */
final class CheckpointArguments {
    @Option(
            names = "--jar",
            paramLabel = "JAR",
            description =
                    "Jar of the job, if a canonical savepoint describes states by its classes. Its"
                            + " classes are loaded, as in a restore. May be given several times.")
    private List<Path> jars = new ArrayList<>();

    /** Loads metadata; says on {@code err} which of several checkpoints was taken. */
    StoredCheckpoint load(String given, PrintWriter err) throws IOException {
        loadFileSystems();
        CheckpointLocation location = CheckpointLocation.find(given);
        if (!location.chosenFrom().isEmpty()) {
            err.printf(
                    "sluice: %s has %d checkpoints, taking the latest: %s%n",
                    given, location.chosenFrom().size() + 1, location.directory().getName());
            err.flush();
        }
        return StoredCheckpoint.load(location, classLoader());
    }

    /** Those of Flink's plug-ins, which {@code FLINK_PLUGINS_DIR} names. */
    private static void loadFileSystems() {
        Configuration none = new Configuration();
        FileSystem.initialize(none, PluginUtils.createPluginManagerFromRootFolder(none));
    }

    private ClassLoader classLoader() throws IOException {
        ClassLoader own = CheckpointArguments.class.getClassLoader();
        if (jars.isEmpty()) {
            return own;
        }
        URL[] urls = new URL[jars.size()];
        for (int i = 0; i < urls.length; i++) {
            if (!Files.isRegularFile(jars.get(i))) {
                throw new IOException(jars.get(i) + " is not a file: correct --jar");
            }
            try {
                urls[i] = jars.get(i).toUri().toURL();
            } catch (MalformedURLException e) {
                throw new IOException(jars.get(i) + " is not a jar: correct --jar", e);
            }
        }
        return new URLClassLoader(urls, own);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.run;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Finds folders of data that are not part of the project, if there are any. */
public final class DataFolder {
    private DataFolder() {}

    /**
     * The folder named by an option, else by an environment variable, else {@code shared/data/NAME}
     * beside the checkout.
     *
     * @param argument of the option, null if none was given
     * @param file a file that must be there
     * @throws IllegalArgumentException if a folder was named and has no such file
     */
    public static Optional<Path> find(Path argument, String variable, String name, String file) {
        String environment = System.getenv(variable);
        boolean inEnvironment = environment != null && !environment.isEmpty();
        if (argument != null || inEnvironment) {
            Path named = argument != null ? argument : Path.of(environment);
            if (!Files.isReadable(named.resolve(file))) {
                throw new IllegalArgumentException(
                        named
                                + " has no readable "
                                + file
                                + ": name the folder of "
                                + name
                                + " data with the option or with "
                                + variable
                                + ", or leave both out");
            }
            return Optional.of(named);
        }
        Path beside =
                Path.of(System.getProperty("sluice.home", "."))
                        .toAbsolutePath()
                        .resolve("../shared/data")
                        .resolve(name)
                        .normalize();
        return Files.isReadable(beside.resolve(file)) ? Optional.of(beside) : Optional.empty();
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.suite;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** A list of Flink's test classes in {@code src/test/resources/suite}, as Surefire reads it. */
final class Selection {

    private static final String SUFFIX = ".class";

    private Selection() {}

    /**
     * The names of the classes.
     *
     * @param name of the list: "whole", "short", "as-asked" or "unreached"
     */
    static List<String> named(String name) {
        String file = "/suite/" + name + ".txt";
        try (InputStream in = Selection.class.getResourceAsStream(file)) {
            if (in == null) {
                throw new IllegalArgumentException("There is no " + file + ".");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .map(String::strip)
                    .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                    .map(line -> className(file, line))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String className(String file, String line) {
        if (!line.endsWith(SUFFIX)) {
            throw new IllegalArgumentException(file + ": not the path of a class: " + line);
        }
        return line.substring(0, line.length() - SUFFIX.length()).replace('/', '.');
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.PrintWriter;
import java.util.function.BiConsumer;
import picocli.CommandLine.Option;

/** The option {@code --json}: the same result for programs. */
final class Json {
    private static final ObjectMapper MAPPER =
            new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

    @Option(
            names = "--json",
            description = "Print one JSON object, whose fields docs/tools.md describes.")
    private boolean wanted;

    /** Whether the output is for programs. */
    boolean isWanted() {
        return wanted;
    }

    /** Prints a record as one object, or as text. */
    <T> void print(PrintWriter out, T result, BiConsumer<T, PrintWriter> text) {
        if (wanted) {
            try {
                out.println(MAPPER.writeValueAsString(result));
            } catch (JsonProcessingException e) {
                throw new AssertionError("records of numbers and text have a JSON form", e);
            }
        } else {
            text.accept(result, out);
        }
        out.flush();
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Function;

/** Reads files of one JSON document. */
public final class JsonFile {

    private JsonFile() {}

    /**
     * Reads a document.
     *
     * @param refusal the exception for a file that is none, made of what is wrong with it
     * @return not null
     * @throws IOException the refusal; another one if the file cannot be read
     */
    public static <T> T read(
            Path file, ObjectMapper json, Class<T> type, Function<String, IOException> refusal)
            throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        T document;
        try {
            document = json.readValue(bytes, type);
        } catch (JsonProcessingException e) {
            throw caused(refusal.apply(e.getOriginalMessage()), e);
        } catch (IOException e) {
            // Bytes that are not text.
            throw caused(refusal.apply(e.getMessage()), e);
        }
        if (document == null) {
            throw refusal.apply("there is nothing in it");
        }
        return document;
    }

    private static IOException caused(IOException refusal, IOException cause) {
        refusal.initCause(cause);
        return refusal;
    }
}

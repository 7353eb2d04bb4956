/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every piece of Java in the documents compiles as it stands, imports included. */
class DocumentSnippetsTest {

    @TempDir Path folder;

    static List<Snippet> java() throws IOException {
        return Snippet.all("java");
    }

    @Test
    void thereAreSome() throws IOException {
        assertThat(java()).hasSizeGreaterThanOrEqualTo(6);
    }

    @ParameterizedTest
    @MethodSource("java")
    void compiles(Snippet snippet) throws Exception {
        assertThat(snippet.compile(folder, "null")).isNotNull();
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OptionTableTest {

    @ParameterizedTest
    @CsvSource({
        "state-backend.md, CascadeBackendOptions",
        "options.md, WindowedOptions DeduplicateOptions CounterOptions FlowOptions"
                + " MachineOptions ReconciliationOptions",
    })
    void theDocumentedOptionsAreThoseOfTheCode(String name, String tables) throws Exception {
        String document = Files.readString(Path.of("..", "..", "docs", name));
        assertThat(OptionTable.in(document)).isEqualTo(List.of(tables.split(" ")));
        assertThat(document)
                .as("make the tables anew: main of OptionTable, with the path of the document")
                .isEqualTo(OptionTable.renewed(document));
    }
}

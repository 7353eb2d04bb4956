/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.run;

import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The option of benchmarks that compare with reference tables. */
public final class ReferenceOption {
    @Option(
            names = "--reference",
            paramLabel = "DIR",
            description = {
                "Tables of an independent implementation to compare with (default: environment"
                    + " SLUICE_REFERENCE, else ../shared/data/reference beside the checkout if it"
                    + " exists)."
            })
    private Path directory;

    /** See {@link ReferenceTables#find}. */
    public Optional<ReferenceTables> find(String file) {
        return ReferenceTables.find(directory, file);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.run;

import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.util.Optional;

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

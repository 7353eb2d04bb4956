/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.papers.figure;

import java.io.IOException;

/** A figure, table or measured claim of a paper. Immutable. */
public interface PaperFigure {

    /** The number of its item in the list of items, which has its label. */
    int item();

    /** Computes it. Equal seeds give equal tables, unless it is timed. */
    Table table(Run run) throws IOException;

    /** Whether its numbers are times, which only an idle machine gives. */
    default boolean isTimed() {
        return false;
    }
}

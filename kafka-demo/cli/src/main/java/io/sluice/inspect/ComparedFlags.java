/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import java.io.Closeable;
import java.io.IOException;
import javax.annotation.Nullable;

/** A membership state, as far as it is compared. */
interface ComparedFlags extends Closeable {

    FlagsFacts facts();

    /**
     * Opens the entries of a key group.
     *
     * @param hashBits bits of a hash that each keeps
     * @param ofOther the state of the other side; null if it is not known. One that is far away
     *     sends only what is different there
     * @throws DamagedFileException if a file is missing or damaged
     */
    FlagsCursor entries(int keyGroup, int hashBits, @Nullable ComparedFlags ofOther)
            throws IOException;
}

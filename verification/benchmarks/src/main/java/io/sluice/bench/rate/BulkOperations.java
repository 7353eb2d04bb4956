/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.rate;

import io.sluice.bench.run.Keys;

/** Many operations in a loop; each returns a value that keeps the compiler from removing them. */
interface BulkOperations {
    long insert(long from, long to);

    long contains(Keys keys, long from, long count);

    long addIfAbsent(Keys keys, long from, long count);

    /** Only for a {@link RemovableStructure}. */
    long remove(long from, long to);
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.cascade;

import java.io.IOException;

/** A set on disk that can be asked while it grows. */
interface DiskSet extends DiskFilter {

    /** Adds those of the keys that are not reported; returns how many. */
    int addIfAbsent(long[] keys, int from, int to) throws IOException;
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.cascade;

import java.io.IOException;

/** A set on disk that answers while it grows. */
interface DiskSet extends DiskFilter {

    /** Adds the keys that are not reported, and returns how many. */
    int addIfAbsent(long[] keys, int from, int to) throws IOException;
}

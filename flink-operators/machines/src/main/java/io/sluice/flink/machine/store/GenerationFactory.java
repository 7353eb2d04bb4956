/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.machine.store;

import io.sluice.filter.KeyValueFilter;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.apache.flink.annotation.Internal;

/** Makes the filters of a {@link GenerationalStore}: one for the machines of a slice of time. */
@Internal
public interface GenerationFactory {

    /**
     * A new, empty filter.
     *
     * @param ofClass number of the class whose states it holds, which are numbered from 0
     * @param machines expected number, at least 1
     */
    KeyValueFilter create(int ofClass, long machines);

    /** Bytes of the filter that {@link #create} would make. */
    long bytes(int ofClass, long machines);

    /**
     * Returns the share of events that full filters answer with a wrong state, or not at all, at
     * most.
     *
     * @param slices of a time-to-live: of each class there are generations of one more
     */
    double error(int slices);

    /** Bytes by which the next insertion would enlarge a filter; 0 if there is room. */
    long growth(KeyValueFilter filter);

    /** Shrinks a filter that has had deletions, if that is sound. */
    void compact(KeyValueFilter filter);

    /** Writes a filter, with version and checksum. */
    void write(KeyValueFilter filter, OutputStream out) throws IOException;

    /** Reads what {@link #write} wrote. */
    KeyValueFilter read(int ofClass, InputStream in, String source) throws IOException;
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.snapshot;

import io.sluice.filter.cascade.CascadeSnapshot;
import io.sluice.filter.sample.StoredSample;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import javax.annotation.Nullable;
import org.apache.flink.annotation.Internal;

/**
 * A membership state at the moment of a checkpoint.
 *
 * @param sample null if there is none
 * @param directory of the filter's files
 * @param unpin called when the snapshot is closed
 */
@Internal
public record PinnedState(
        MembershipInfo info,
        CascadeSnapshot snapshot,
        @Nullable StoredSample sample,
        Path directory,
        Closeable unpin)
        implements Closeable {

    @Override
    public void close() throws IOException {
        try {
            snapshot.close();
        } finally {
            unpin.close();
        }
    }
}

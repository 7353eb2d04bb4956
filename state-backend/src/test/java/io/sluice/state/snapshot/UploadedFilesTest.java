/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.state.snapshot.UploadedFiles.Held;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;
import org.junit.jupiter.api.Test;

class UploadedFilesTest {

    private final UploadedFiles files = new UploadedFiles();

    @Test
    void filesOfACompletedCheckpointAreUsedAgain() {
        upload(1, "a", "b");
        files.completed(1);
        assertThat(files.begin(2, true).files()).containsOnlyKeys("a", "b");
    }

    @Test
    void filesOfACheckpointThatIsNotCompletedAreNot() {
        upload(1, "a");
        assertThat(files.begin(2, true).files()).isEmpty();
    }

    @Test
    void filesOfAnAbortedCheckpointAreNot() {
        upload(1, "a");
        files.completed(1);
        upload(2, "b");
        files.aborted(2);
        files.completed(2);
        assertThat(files.begin(3, true).files()).containsOnlyKeys("a");
    }

    @Test
    void aFullCheckpointUsesNothingButItsFilesAreUsedByLaterOnes() {
        upload(1, "a");
        files.completed(1);
        assertThat(files.begin(2, false).files()).isEmpty();
        files.uploaded(2, Map.of("a", held("a", 2)), Map.of());
        files.completed(2);
        assertThat(files.begin(3, true).files()).containsEntry("a", held("a", 2));
    }

    @Test
    void aFileThatALaterCheckpointUploadedAnewIsNotUsedFromTheEarlierOne() {
        // 2 begins before the completion of 1 is known, so it uploads "a" again.
        upload(1, "a", "b");
        Map<String, Held> reusable = files.begin(2, true).files();
        assertThat(reusable).isEmpty();
        files.uploaded(2, Map.of("a", held("a", 2)), Map.of());
        files.completed(1);
        // When 2 completes, the JobManager deletes the files of 1.
        assertThat(files.begin(3, true).files()).isEmpty();
    }

    @Test
    void aFileThatALaterCheckpointDidWithoutIsNotUsed() {
        upload(1, "a", "b");
        files.completed(1);
        Map<String, Held> used = Map.of("b", held("b", 1));
        files.begin(2, true);
        files.uploaded(2, used, used);
        // When 2 completes, the JobManager deletes "a".
        assertThat(files.begin(3, true).files()).containsOnlyKeys("b");
    }

    @Test
    void aFileThatALaterCheckpointTookFromAnEarlierOneIsNotUsedFromTheOneBetween() {
        upload(1, "a");
        files.completed(1);
        files.begin(2, true);
        Map<String, Held> reusable = files.begin(3, true).files();
        // The storage does not let 2 reuse "a", for example because little else is left around it.
        files.uploaded(2, Map.of("a", held("a", 2)), Map.of());
        files.uploaded(3, reusable, reusable);
        files.completed(2);
        // When 3 completes, the JobManager deletes the "a" of 2.
        assertThat(files.begin(4, true).files()).isEmpty();
    }

    @Test
    void filesStandInForMergedOnesOnlyIfNoOtherCheckpointIsUnderWay() {
        upload(1, "a");
        files.completed(1);
        assertThat(files.begin(2, true).mayStandIn()).isTrue();
        // 2 may do without "a": then the JobManager deletes it when 2 completes.
        assertThat(files.begin(3, true).mayStandIn()).isFalse();
        files.failed(2);
        files.failed(3);
        assertThat(files.begin(4, true).mayStandIn()).isTrue();
    }

    @Test
    void aFileThatALaterCheckpointTookFromTheEarlierOneIsUsedByBoth() {
        upload(1, "a", "b");
        files.completed(1);
        Map<String, Held> reusable = files.begin(2, true).files();
        files.uploaded(2, reusable, reusable);
        assertThat(files.begin(3, true).files()).containsOnlyKeys("a", "b");
    }

    @Test
    void aCheckpointUnderWayMayUploadAnewWhateverItCouldNotUse() {
        upload(1, "a");
        files.begin(2, true);
        files.completed(1);
        assertThat(files.begin(3, true).files()).isEmpty();
        files.failed(2);
        files.failed(3);
        assertThat(files.begin(4, true).files()).containsOnlyKeys("a");
    }

    @Test
    void theNumberOfASavepointIsIgnored() {
        upload(1, "a");
        files.completed(1);
        files.completed(2);
        assertThat(files.begin(3, true).files()).containsOnlyKeys("a");
    }

    @Test
    void filesThatWereRestoredAreUsedAgain() {
        files.restored(7, Map.of("a", held("a", 7)));
        files.restored(7, Map.of("b", held("b", 7)));
        assertThat(files.begin(8, true).files()).containsOnlyKeys("a", "b");
    }

    private void upload(long checkpointId, String... names) {
        files.begin(checkpointId, true);
        Map<String, Held> held = new HashMap<>();
        for (String name : names) {
            held.put(name, held(name, checkpointId));
        }
        files.uploaded(checkpointId, held, Map.of());
    }

    private static Held held(String name, long checkpointId) {
        return new Held(new ByteStreamStateHandle(name + checkpointId, new byte[1]), 0);
    }
}

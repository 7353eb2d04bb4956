/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.restore;

import io.sluice.state.snapshot.CompositeManifest;
import io.sluice.state.snapshot.MembershipInfo;
import io.sluice.state.snapshot.StoredParts;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.annotation.Nullable;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.StreamStateHandle;

/**
 * What a subtask does with the handles it is given: which of them go to the delegate and to the
 * heap, and which files make up which membership state. Scaling in gives several handles, whose
 * filters are joined; scaling out gives one that holds more key groups than needed, and the filter
 * uses a section of it. Pure.
 *
 * @param delegateHandles for the delegate, in the order of the handles
 * @param heapHandles for the heap, likewise
 * @param states by name
 */
record RestorePlan(
        List<KeyedStateHandle> delegateHandles,
        List<KeyedStateHandle> heapHandles,
        Map<String, StatePlan> states) {

    /** A handle and, if it is one of ours, its parts. */
    record Source(KeyedStateHandle handle, StoredParts parts, CompositeManifest manifest) {}

    /**
     * A file that is needed.
     *
     * @param handle where it is in the checkpoint
     * @param local where it is on this machine; empty if it has to be downloaded
     * @param checkpointId of the checkpoint that holds it; -1 if later ones must not refer to it
     */
    record FilePlan(
            CompositeManifest.FilePart part,
            StreamStateHandle handle,
            Optional<Path> local,
            long checkpointId) {}

    /**
     * The sample of a filter.
     *
     * @param firstKeyGroup of the subtask that stored it
     * @param file null if it had none
     */
    record SamplePlan(int firstKeyGroup, @Nullable CompositeManifest.FilePart file) {}

    /**
     * A membership state.
     *
     * @param info from the last of the handles
     * @param manifests of its filters, one for each handle
     * @param samples one for each handle
     * @param files of all its filters and samples
     */
    record StatePlan(
            MembershipInfo info,
            List<byte[]> manifests,
            List<SamplePlan> samples,
            List<FilePlan> files) {}

    /**
     * Makes the plan.
     *
     * @param ours the handles that are composite
     * @param others all others: the delegate's alone
     * @throws IllegalArgumentException if a manifest names a file that its handle does not have
     */
    static RestorePlan of(List<Source> ours, List<KeyedStateHandle> others, KeyGroupRange wanted) {
        List<KeyedStateHandle> delegateHandles = new ArrayList<>(others);
        List<KeyedStateHandle> heapHandles = new ArrayList<>();
        Map<String, StatePlan> states = new LinkedHashMap<>();
        for (Source source : ours) {
            if (source.parts().keyGroupRange().getIntersection(wanted).getNumberOfKeyGroups()
                    == 0) {
                continue;
            }
            source.parts()
                    .delegate(source.manifest().delegate(), wanted)
                    .ifPresent(delegateHandles::add);
            source.parts()
                    .heap(source.manifest().heapOffsets(), wanted)
                    .ifPresent(heapHandles::add);
            for (CompositeManifest.StatePart state : source.manifest().states()) {
                StatePlan plan =
                        states.merge(
                                state.info().name(),
                                new StatePlan(
                                        state.info(),
                                        new ArrayList<>(),
                                        new ArrayList<>(),
                                        new ArrayList<>()),
                                (earlier, now) ->
                                        new StatePlan(
                                                now.info(),
                                                earlier.manifests(),
                                                earlier.samples(),
                                                earlier.files()));
                plan.manifests().add(state.filterManifest());
                plan.samples()
                        .add(new SamplePlan(source.manifest().firstKeyGroup(), state.sample()));
                for (CompositeManifest.FilePart file : state.files()) {
                    plan.files().add(filePlan(source, file));
                }
            }
        }
        return new RestorePlan(delegateHandles, heapHandles, states);
    }

    private static FilePlan filePlan(Source source, CompositeManifest.FilePart file) {
        StreamStateHandle handle = source.parts().files().get(file.name());
        if (handle == null) {
            throw new IllegalArgumentException(
                    "File "
                            + file.name()
                            + " is named in the manifest of "
                            + source.parts()
                            + " but is not among its files.");
        }
        return new FilePlan(
                file, handle, source.parts().localFile(file.name()), source.parts().checkpointId());
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import io.sluice.filter.cascade.StoredCascade;
import io.sluice.filter.cascade.StoredCascade.StoredSection;
import io.sluice.filter.cascade.file.LevelFileInfo;
import io.sluice.state.snapshot.CompositeManifest;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.runtime.state.StreamStateHandle;

/** What manifests say about files of membership states, by name. */
record ExpectedFiles(
        Map<String, LevelFileInfo> infos, Map<String, CompositeManifest.FilePart> parts) {

    /** Nothing is known. */
    static final ExpectedFiles NONE = new ExpectedFiles(Map.of(), Map.of());

    /**
     * @throws IOException if the manifest of a filter is damaged
     */
    static ExpectedFiles of(CompositeManifest manifest) throws IOException {
        Map<String, LevelFileInfo> infos = new HashMap<>();
        Map<String, CompositeManifest.FilePart> parts = new HashMap<>();
        for (CompositeManifest.StatePart state : manifest.states()) {
            state.files().forEach(file -> parts.put(file.name(), file));
            StoredCascade filter =
                    StoredCascade.of(state.filterManifest(), "state " + state.info().name());
            for (StoredSection section : filter.sections()) {
                infos.put(section.file().name(), section.file());
            }
        }
        return new ExpectedFiles(infos, parts);
    }

    void check(String name, StreamStateHandle file, long from, StreamCheck check) {
        CompositeManifest.FilePart part = parts.get(name);
        if (CompositeManifest.isSample(name)) {
            check.checkSample(name, file, from, part);
        } else {
            check.checkLevelFile(name, file, from, infos.get(name), part);
        }
    }
}

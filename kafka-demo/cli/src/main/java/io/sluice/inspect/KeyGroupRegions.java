/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.inspect;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;

/** Where each key group's part of a stream begins and ends: at the beginning of the next one. */
final class KeyGroupRegions {

    private KeyGroupRegions() {}

    /** A part; empty if the next begins at the same place. */
    record Part(int keyGroup, long from, long end) {}

    /** In the order of the stream. */
    static List<Part> of(KeyGroupsStateHandle handle) {
        KeyGroupRange range = handle.getKeyGroupRange();
        List<Part> begins = new ArrayList<>();
        for (int keyGroup : range) {
            begins.add(new Part(keyGroup, handle.getOffsetForKeyGroup(keyGroup), 0));
        }
        begins.sort(Comparator.comparingLong(Part::from).thenComparingInt(Part::keyGroup));
        List<Part> parts = new ArrayList<>();
        long length = handle.getDelegateStateHandle().getStateSize();
        for (int i = 0; i < begins.size(); i++) {
            long end = i + 1 < begins.size() ? begins.get(i + 1).from() : length;
            parts.add(new Part(begins.get(i).keyGroup(), begins.get(i).from(), end));
        }
        return parts;
    }

    /** Whether all parts lie in the stream. */
    static boolean areInside(List<Part> parts, long length) {
        return parts.stream()
                .allMatch(
                        part ->
                                part.from() >= 0
                                        && part.from() <= part.end()
                                        && part.end() <= length);
    }
}

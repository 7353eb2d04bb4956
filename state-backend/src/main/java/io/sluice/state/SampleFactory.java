/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state;

import io.sluice.filter.memory.Words;
import io.sluice.filter.sample.IdSample;
import io.sluice.filter.sample.SampleMemory;
import io.sluice.state.restore.CascadeRestore.RestoredSample;
import io.sluice.state.snapshot.MembershipInfo;
import java.util.List;
import java.util.Optional;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes the samples of a subtask's membership states, in the slot's memory. */
final class SampleFactory {

    private static final Logger LOG = LoggerFactory.getLogger(SampleFactory.class);

    private final CascadeSettings settings;
    private final KeyGroupRange range;

    /**
     * @param range key groups of the subtask
     */
    SampleFactory(CascadeSettings settings, KeyGroupRange range) {
        this.settings = settings;
        this.range = range;
    }

    /**
     * The sample of a new or restored state; none if it is switched off, or if the slot has no
     * memory for it.
     *
     * @param restored the samples of the filters that make up this one
     * @throws IllegalArgumentException if one of them is of another kind; the slot then has its
     *     memory back
     */
    IdSample create(MembershipInfo info, List<RestoredSample> restored, SlotResources slot) {
        if (settings.sampleOneIn() == 0) {
            return IdSample.none();
        }
        long bytes = slot.takeSample(settings.sampleBytes());
        if (bytes == 0) {
            LOG.warn(
                    "The error of state '{}' is not measured: the slot has no memory left for"
                            + " watched keys. Give its filters more, or each state less with {}.",
                    info.name(),
                    CascadeBackendOptions.SAMPLE_MEMORY.key());
            return IdSample.none();
        }
        IdSample sample =
                IdSample.ofClock(
                        new SlotMemory(slot),
                        Math.toIntExact(bytes / (2 * Long.BYTES)),
                        settings.sampleOneIn(),
                        info.timeToLiveMillis(),
                        settings.bucketMillis(info.timeToLiveMillis()));
        restoreOrClose(restored, sample);
        if (restored.stream().anyMatch(part -> part.sample() == null)) {
            LOG.info(
                    "The error of state '{}' is measured once {}.",
                    info.name(),
                    info.timeToLiveMillis() > 0
                            ? "all keys that were not watched have expired"
                            : "it has a time-to-live: some of its keys were not watched");
        }
        return sample;
    }

    /** Leaves no memory behind if what was restored is refused: nobody has the sample yet. */
    private void restoreOrClose(List<RestoredSample> restored, IdSample sample) {
        boolean isComplete = false;
        try {
            restored.forEach(part -> restore(part, sample));
            isComplete = true;
        } finally {
            if (!isComplete) {
                sample.close();
            }
        }
    }

    private void restore(RestoredSample part, IdSample sample) {
        if (part.sample() == null) {
            sample.beginsLate();
        } else {
            sample.restore(part.sample(), range::contains, range.contains(part.firstKeyGroup()));
        }
    }

    /** Lends what {@link SlotResources#takeSample} took, once. */
    private record SlotMemory(SlotResources slot) implements SampleMemory {

        @Override
        public Optional<Words> allocate(long words) {
            boolean isComplete = false;
            try {
                Words allocated = slot.allocate(words);
                isComplete = true;
                return Optional.of(allocated);
            } finally {
                if (!isComplete) {
                    slot.giveSample(words * Long.BYTES);
                }
            }
        }

        @Override
        public void release(Words words) {
            words.release();
            slot.giveSample(words.length() * Long.BYTES);
        }
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import io.sluice.inspect.CheckpointCounters;
import io.sluice.job.counters.CounterReading;
import io.sluice.job.counters.StoredCounter;
import io.sluice.job.counters.TopCounters;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** Counters in a checkpoint or savepoint. */
record CheckpointReading(String uid, CheckpointCounters counters) implements CounterReading {
    @Override
    public Map<String, StoredCounter> get(Set<String> keys) throws IOException {
        Map<String, StoredCounter> found = new HashMap<>();
        forEach(
                counter -> {
                    if (keys.contains(counter.key())) {
                        found.put(counter.key(), counter);
                    }
                });
        return found;
    }

    @Override
    public List<StoredCounter> top(int most, Consumer<String> reread) throws IOException {
        TopCounters top = new TopCounters(most);
        forEach(top::add);
        return top.largest();
    }

    private void forEach(Consumer<StoredCounter> taking) throws IOException {
        counters.forEach(
                (key, total) ->
                        taking.accept(
                                new StoredCounter(
                                        StoredCounter.keyOfState(uid, key),
                                        total.value(),
                                        total.expectedUndercount(),
                                        null)));
    }
}

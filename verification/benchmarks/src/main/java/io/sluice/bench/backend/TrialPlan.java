/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.bench.backend;

import io.sluice.bench.backend.Trial.Api;
import io.sluice.bench.backend.Trial.IdKind;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Which trials a run makes, in order: peers of one group follow each other.
 *
 * @param fast records of fast engines
 * @param slow records of Flink's own engines
 * @param engines that take part
 * @param apis how jobs are written
 */
record TrialPlan(boolean quick, long fast, long slow, Set<Engine> engines, Set<Api> apis) {

    private static final Set<Engine> FEW =
            EnumSet.of(
                    Engine.NOOP,
                    Engine.ROCKSDB,
                    Engine.CASCADE,
                    Engine.CASCADE_DEFAULT,
                    Engine.CASCADE_4G);

    /** Every group once: compared engines take turns. */
    List<Trial> oneRound() {
        List<Trial> trials = new ArrayList<>();
        for (IdKind ids : IdKind.values()) {
            // Strings cost more to make than longs: half as many.
            int share = ids == IdKind.LONG ? 1 : 2;
            for (Api api : Api.values()) {
                if (!apis.contains(api)) {
                    continue;
                }
                if (api.isVariant()) {
                    if (ids == IdKind.LONG) {
                        group(trials, api, ids, 2, 2, false);
                    }
                    continue;
                }
                boolean all = !quick || (ids == IdKind.LONG && api == Api.DATASTREAM);
                group(trials, api, ids, 2, share, all);
                if (!quick) {
                    group(trials, api, ids, 1, 2 * share, true);
                }
            }
        }
        return trials;
    }

    private void group(
            List<Trial> trials, Api api, IdKind ids, int parallelism, int share, boolean all) {
        for (Engine engine : all ? engines : intersection()) {
            if (api.isSql() && engine.isWithoutSql()) {
                continue;
            }
            long records = (engine.isSlow() ? slow : fast) / share;
            boolean restores =
                    FEW.contains(engine)
                            && engine.keepsState()
                            && ids == IdKind.LONG
                            && api == Api.DATASTREAM
                            && parallelism == 2;
            trials.add(new Trial(api, ids, parallelism, engine, records, restores));
        }
    }

    private Set<Engine> intersection() {
        Set<Engine> both = EnumSet.copyOf(FEW);
        both.retainAll(engines);
        return both;
    }

    /**
     * The engines that take part if none are named. A quick run leaves out those with more memory:
     * with few keys their figures are hardly different.
     */
    static Set<Engine> usual(boolean quick) {
        Set<Engine> all = EnumSet.allOf(Engine.class);
        if (quick) {
            all.removeAll(EnumSet.of(Engine.ROCKSDB_1G, Engine.ROCKSDB_TUNED, Engine.CASCADE_4G));
        }
        return all;
    }

    /**
     * RocksDB and the cascade with growing numbers of keys, up to the largest given, which is also
     * restored.
     *
     * @param halvings how many trials come before the largest, each with half as many records
     */
    List<Trial> growing(long largestSlow, long largestFast, int halvings) {
        List<Trial> trials = new ArrayList<>();
        for (Engine engine : intersection()) {
            if (engine.keepsState()) {
                long largest = engine.isSlow() ? largestSlow : largestFast;
                for (int halved = 0; halved <= halvings; halved++) {
                    long records = largest >> halved;
                    boolean restores = halved == 0;
                    trials.add(
                            new Trial(Api.DATASTREAM, IdKind.LONG, 2, engine, records, restores));
                }
            }
        }
        return trials;
    }
}

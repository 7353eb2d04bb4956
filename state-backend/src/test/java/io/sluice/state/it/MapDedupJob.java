/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.state.it;

import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichFilterFunction;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Keyed by a user, with a map of the ids that the user has had. */
final class MapDedupJob {
    private static final long USERS = 97;

    private MapDedupJob() {}

    static void build(StreamExecutionEnvironment env, String run) {
        Ledger.keep(
                run,
                DedupJob.PASSED,
                DedupJob.ids(env, run)
                        .keyBy(id -> Math.floorMod(id, USERS), Types.LONG)
                        .filter(new FirstOfUser())
                        .uid("first-of-user"));
    }

    private static final class FirstOfUser extends RichFilterFunction<Long> {
        private transient MapState<String, Boolean> seen;

        @Override
        public void open(OpenContext context) {
            seen =
                    getRuntimeContext()
                            .getMapState(
                                    new MapStateDescriptor<>(
                                            "seen-map", Types.STRING, Types.BOOLEAN));
        }

        @Override
        public boolean filter(Long id) throws Exception {
            String key = Long.toHexString(id);
            if (seen.contains(key)) {
                return false;
            }
            seen.put(key, true);
            return true;
        }
    }
}

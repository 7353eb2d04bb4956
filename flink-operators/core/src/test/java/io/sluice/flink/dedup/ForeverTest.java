/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.filter.Seeds;
import io.sluice.flink.Backends;
import io.sluice.flink.OnDuplicate;
import io.sluice.flink.testkit.Applied;
import io.sluice.flink.testkit.Subtasks;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.OutputTag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each id passes once, whatever happens and however long that is. */
class ForeverTest {
    private static final OutputTag<Long> DUPLICATES = new OutputTag<>("duplicates", Types.LONG);

    /** What follows the last checkpoint is done again. */
    @ParameterizedTest
    @EnumSource(Backends.class)
    void eachIdPassesOnceThroughFailuresAndRescaling(Backends backend) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        DataStream<Long> ids = env.fromData(Types.LONG, 0L);
        Applied<Long, Long> applied =
                Applied.of(
                        Types.LONG,
                        Deduplicate.by((Long id) -> id)
                                .uid("ids")
                                .forever()
                                .onDuplicate(OnDuplicate.sideOutput(DUPLICATES))
                                .apply(ids));
        SplittableRandom random = new SplittableRandom(Seeds.seed(1));
        Subtasks<Object, Long, Long> subtasks = applied.subtasks(128, backend);
        Set<Long> known = new HashSet<>();
        List<Long> passed = new ArrayList<>();
        subtasks.start(1, applied);
        for (int epoch = 0; epoch < 12; epoch++) {
            boolean fails = epoch > 0 && random.nextInt(3) == 0;
            Set<Long> before = Set.copyOf(known);
            List<Long> inEpoch = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                long id = random.nextInt(1_000);
                // Its time is of no importance, however wild.
                List<Long> out = subtasks.process(id, random.nextLong());
                assertThat(out).isEqualTo(known.add(id) ? List.of(id) : List.of());
                inEpoch.addAll(out);
            }
            if (fails) {
                known = new HashSet<>(before);
            } else {
                passed.addAll(inEpoch);
                subtasks.snapshot();
            }
            subtasks.start(1 + random.nextInt(4), applied);
        }
        assertThat(passed).doesNotHaveDuplicates().hasSameElementsAs(known);
        subtasks.close();
    }
}

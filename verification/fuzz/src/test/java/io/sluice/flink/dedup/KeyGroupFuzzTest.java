/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.dedup;

import static io.sluice.fuzz.Reading.check;
import static io.sluice.fuzz.Reading.isRefusedOrWorks;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.sluice.filter.forgetful.MemoryBudget;
import io.sluice.filter.hash.Hashing;
import io.sluice.fuzz.Envelopes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;

class KeyGroupFuzzTest {

    @FuzzTest
    void theDeduplicatorOfAKeyGroup(byte[] bytes) throws IOException {
        MemoryBudget budget = new MemoryBudget(1 << 18);
        isRefusedOrWorks(
                Envelopes.righted(bytes),
                (in, source) ->
                        Deduplicator.readFrom(
                                in,
                                source,
                                GoldenKeyGroups.OPTIONS,
                                budget,
                                GoldenKeyGroups.WATCHED),
                KeyGroupFuzzTest::use);
        check(budget.reserved() == 0, "all memory is given back");
    }

    private static byte[] use(Deduplicator group) throws IOException {
        long now = group.clock();
        for (int id = 0; id < 20; id++) {
            group.decide(Hashing.hash(id), now);
            check(
                    group.decide(Hashing.hash(id), now) == Verdict.DUPLICATE,
                    "what came just now is known");
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        group.writeTo(out);
        group.close();
        return out.toByteArray();
    }
}

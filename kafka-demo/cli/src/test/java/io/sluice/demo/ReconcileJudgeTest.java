/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.demo.ReconcileReport.Failures;
import io.sluice.record.CounterKind;
import io.sluice.record.PacketRecord;
import io.sluice.record.PacketRecordCodec;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The verdict can fail for each of its reasons. */
class ReconcileJudgeTest {

    private static final Failures RECOVERED = new Failures(1, 1, 4);

    private final ReplicaCounts truth = new ReplicaCounts(1000, CounterKind.SOURCE);
    private final ReconcileJudge judge = new ReconcileJudge(truth);

    /** The first replica got an operation twice, the second one never, and was corrected. */
    @BeforeEach
    void aSmallExchangeThatWentWell() throws Exception {
        input(0);
        input(0);
        for (int replica = 0; replica < 2; replica++) {
            report(replica, "SUSPENDED");
            report(replica, "AGREED");
            counter(replica, 1);
        }
        judge.states(true);
    }

    private void input(int replica) throws Exception {
        byte[] bytes = new byte[PacketRecordCodec.MAX_BYTES];
        int length = new PacketRecordCodec().encode(new PacketRecord(), bytes, 0);
        truth.input(replica, Arrays.copyOf(bytes, length));
    }

    private void counter(int replica, int value) throws Exception {
        String name = CounterKind.SOURCE.format(CounterKind.SOURCE.keyOf(new PacketRecord()));
        judge.counter(replica, name, json("'value':" + value));
    }

    private void report(int replica, String outcome) throws Exception {
        judge.report(
                replica,
                json(
                        "'window':0,'group':0,'outcome':'"
                                + outcome
                                + "','rounds':1,'elementsAfter':1,'repairedFirst':"
                                + replica
                                + ",'repairedSecond':0,"
                                + "'repairedLater':0,'digestBytes':100,'filterBytes':30,"
                                + "'repairBytes':20,'naiveBytes':300"));
    }

    private static byte[] json(String fields) {
        return ("{" + fields.replace('\'', '"') + "}").getBytes(StandardCharsets.US_ASCII);
    }

    private String verdict() {
        return judge.report(RECOVERED).verdict();
    }

    @Test
    void equalCountersAndEqualStatesAreOk() {
        ReconcileReport report = judge.report(RECOVERED);
        assertThat(report.verdict()).isEqualTo("ok");
        assertThat(report.succeeded()).isTrue();
        assertThat(report.input().records()).isEqualTo(2);
        assertThat(report.input().operations()).isEqualTo(1);
        assertThat(report.input().missedByFirst()).isZero();
        assertThat(report.input().missedBySecond()).isEqualTo(1);
        assertThat(report.reconcile().suspended()).isEqualTo(2);
        assertThat(report.reconcile().agreed()).isEqualTo(2);
        assertThat(report.reconcile().repaired()).isEqualTo(1);
        assertThat(report.reconcile().bytesRatioToNaive()).isEqualTo(0.5);
        assertThat(judge.isComplete()).isTrue();
    }

    @Test
    void anOperationThatCountedTwiceIsAFailure() throws Exception {
        counter(0, 2);
        assertThat(verdict())
                .isEqualTo("1 and 0 of 1 counters are wrong on the first and the second replica");
    }

    @Test
    void anOperationThatIsMissedIsAFailure() throws Exception {
        counter(1, 0);
        assertThat(verdict())
                .isEqualTo("0 and 1 of 1 counters are wrong on the first and the second replica");
    }

    @Test
    void aCounterThatNobodySentIsAFailure() throws Exception {
        judge.counter(1, "nobody", json("'value':1"));
        assertThat(verdict()).startsWith("0 and 1 of 1 counters are wrong");
    }

    @Test
    void anExchangeThatDidNotAgreeIsAFailure() throws Exception {
        judge.report(
                0,
                json(
                        "'window':1000,'group':0,'outcome':'TIMED_OUT','rounds':1,"
                                + "'elementsAfter':1,'repairedFirst':0,'repairedSecond':0,"
                                + "'repairedLater':0,'digestBytes':100,'filterBytes':30,"
                                + "'repairBytes':20,'naiveBytes':300"));
        assertThat(verdict()).isEqualTo("1 of 3 exchanges did not agree");
    }

    @Test
    void anElementThatNobodyReportsIsAFailure() throws Exception {
        ReconcileJudge half = new ReconcileJudge(truth);
        String name = CounterKind.SOURCE.format(CounterKind.SOURCE.keyOf(new PacketRecord()));
        half.counter(0, name, json("'value':1"));
        half.counter(1, name, json("'value':1"));
        half.states(true);
        half.report(
                0,
                json(
                        "'window':0,'group':0,'outcome':'AGREED','rounds':0,'elementsAfter':1,"
                                + "'repairedFirst':0,'repairedSecond':0,'repairedLater':0,"
                                + "'digestBytes':100,'filterBytes':0,'repairBytes':0,"
                                + "'naiveBytes':9"));
        assertThat(half.report(RECOVERED).verdict())
                .isEqualTo("of 2 elements, both replicas together, 1 were agreed on");
    }

    @Test
    void nothingExchangedIsAFailure() {
        ReconcileJudge none = new ReconcileJudge(new ReplicaCounts(1, CounterKind.SOURCE));
        none.states(true);
        assertThat(none.report(RECOVERED).verdict()).isEqualTo("0 of 0 exchanges did not agree");
    }

    @Test
    void aLateOperationIsAFailure() {
        judge.late();
        assertThat(verdict()).startsWith("1 operations were not counted");
    }

    @Test
    void statesThatDifferAreAFailure() {
        judge.states(false);
        assertThat(verdict()).startsWith("the savepoints of both replicas differ");
    }

    @Test
    void aReplicaThatDidNotRecoverIsAFailure() {
        assertThat(judge.report(new Failures(1, 0, 4)).verdict())
                .isEqualTo("a killed replica did not recover from a checkpoint");
    }
}

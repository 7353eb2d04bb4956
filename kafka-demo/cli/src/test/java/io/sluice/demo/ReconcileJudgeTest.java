/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.demo.ReconcileReport.Failures;
import io.sluice.record.PacketRecord;
import io.sluice.record.PacketRecordCodec;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The verdict can fail for each of its reasons. */
class ReconcileJudgeTest {

    private static final Failures RECOVERED = new Failures(1, 1, 4);

    private final ReconcileJudge judge = new ReconcileJudge(1000);

    /** The first replica saw an operation twice, the second one once, and was corrected. */
    @BeforeEach
    void aSmallExchangeThatWentWell() throws Exception {
        input(0);
        input(0);
        input(1);
        element(0, 2);
        element(1, 2);
        judge.correction(1, json("'window':0,'operation':0,'before':1,'after':2"));
        report("AGREED");
        report("AGREED");
    }

    private void input(int replica) throws Exception {
        byte[] bytes = new byte[PacketRecordCodec.MAX_BYTES];
        int length = new PacketRecordCodec().encode(new PacketRecord(), bytes, 0);
        judge.input(replica, Arrays.copyOf(bytes, length));
    }

    private void element(int replica, int copies) throws Exception {
        judge.element(replica, json("'window':0,'operation':0,'copies':" + copies));
    }

    private void report(String outcome) throws Exception {
        judge.report(
                json(
                        "'outcome':'"
                                + outcome
                                + "','rounds':1,'filtered':10,'repairedSecond':0,"
                                + "'repairedLater':0,'digestBytes':100,'filterBytes':30,"
                                + "'repairBytes':20,'naiveBytes':300"));
    }

    private static byte[] json(String fields) {
        return ("{" + fields.replace('\'', '"') + "}").getBytes(StandardCharsets.US_ASCII);
    }

    @Test
    void theUnionOnBothSidesIsOk() {
        ReconcileReport report = judge.report(RECOVERED);
        assertThat(report.verdict()).isEqualTo("ok");
        assertThat(report.succeeded()).isTrue();
        assertThat(report.input().elements()).isEqualTo(1);
        assertThat(report.input().lackedByFirst()).isZero();
        assertThat(report.input().lackedBySecond()).isEqualTo(1);
        assertThat(report.reconcile().bytesRatioToNaive()).isEqualTo(0.5);
        assertThat(report.reconcile().bitsPerElement()).isEqualTo(24);
        assertThat(report.reconcile().accuracyAtTheEnd()).isEqualTo(1);
    }

    @Test
    void anElementTooManyIsAFailure() throws Exception {
        element(0, 1);
        assertThat(judge.report(RECOVERED).verdict())
                .isEqualTo(
                        "1 and 0 of 1 elements are not as often as in the union on the first and"
                                + " the second replica");
    }

    @Test
    void aCorrectionTooManyIsAFailure() throws Exception {
        judge.correction(1, json("'window':0,'operation':0,'before':1,'after':2"));
        assertThat(judge.report(RECOVERED).verdict()).startsWith("0 and 1 of 1 elements");
    }

    @Test
    void anExchangeThatDidNotAgreeIsAFailure() throws Exception {
        report("TIMED_OUT");
        assertThat(judge.report(RECOVERED).verdict()).isEqualTo("1 of 3 exchanges did not agree");
    }

    @Test
    void lateRecordsAreAFailure() {
        judge.late();
        assertThat(judge.report(RECOVERED).verdict())
                .isEqualTo("1 records came after their window was closed");
    }

    @Test
    void aReplicaThatDidNotRecoverIsAFailure() {
        assertThat(judge.report(new Failures(1, 0, 4)).verdict())
                .isEqualTo("a killed replica did not recover from a checkpoint");
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.chaos.truth.FlowsScript;
import io.sluice.chaos.truth.PacketBytes;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;

class FlowsCheckTest {
    private static final long TIMEOUT = 60_000;
    private static final int ORIGINATOR = 10 << 24;
    private static final int RESPONDER = 20 << 24;

    private static final String REFUSED =
            report("REJ", "ended", "\"originator\":\"10.0.0.0\",\"originatorPort\":5000,")
                    .replace("PORT", "80");
    private static final String SILENT =
            "{\"version\":4,\"state\":\"S0\",\"reason\":\"timed-out\",\"timestamp\":1}";

    private final CheckResult verdict = new CheckResult();
    private final FlowsCheck check = new FlowsCheck(TIMEOUT / 2, TIMEOUT, verdict);

    private static String report(String state, String reason, String originator) {
        return "{\"version\":4,\"state\":\""
                + state
                + "\",\"reason\":\""
                + reason
                + "\",\"timestamp\":1,\"protocol\":\"tcp\","
                + originator
                + "\"responder\":\"20.0.0.0\",\"responderPort\":PORT}";
    }

    @Test
    void eachFlowOnceIsRight() {
        refused();
        silent(2, 0);
        later();
        check.report("a", REFUSED);
        check.report("b", SILENT);
        check.judge();
        assertThat(verdict.violations()).isEmpty();
        assertThat(verdict.numbers()).containsEntry("ended", 1L).containsEntry("timedOut", 1);
    }

    @Test
    void aFlowThatIsNotReportedIsFound() {
        refused();
        check.judge();
        assertThat(verdict.violations())
                .singleElement()
                .asString()
                .contains("a flow is not reported: 1, such as number 1, REJ");
    }

    @Test
    void aFlowThatIsReportedTwiceIsFound() {
        refused();
        check.report("a", REFUSED);
        check.report("a", REFUSED);
        check.judge();
        assertThat(verdict.violations()).singleElement().asString().contains("reported twice");
    }

    @Test
    void aWrongStateIsFound() {
        refused();
        check.report("a", REFUSED.replace("REJ", "SF"));
        check.judge();
        assertThat(verdict.violations()).singleElement().asString().contains("the wrong state");
    }

    @Test
    void aReportOfNoFlowIsFound() {
        refused();
        check.report("a", REFUSED);
        check.report("b", REFUSED.replace("10.0.0.0", "10.0.0.1"));
        check.judge();
        assertThat(verdict.violations())
                .singleElement()
                .asString()
                .contains("a report of no flow that was sent");
    }

    @Test
    void aTimeoutThatDoesNotComeIsFoundWhenItIsTime() {
        refused();
        check.report("a", REFUSED);
        silent(2, 0);
        check.judge();
        assertThat(verdict.violations()).isEmpty();
        later();
        check.judge();
        assertThat(verdict.violations())
                .singleElement()
                .asString()
                .contains("flows without an answer are not reported: 1, such as 0 of 1");
    }

    @Test
    void aTimeoutThatComesTwiceOrOfNothingIsFound() {
        silent(2, 0);
        later();
        check.report("b", SILENT);
        check.report("b", SILENT);
        check.report("c", SILENT);
        check.judge();
        assertThat(verdict.violations()).hasSize(2);
    }

    @Test
    void aTimeoutThatComesTooSoonIsFound() {
        refused();
        check.report("a", REFUSED);
        silent(2, 0);
        silent(3, TIMEOUT / 2 - 1);
        check.report("b", SILENT);
        check.judge();
        assertThat(verdict.violations())
                .singleElement()
                .asString()
                .contains("more flows without an answer are reported than can be over: 1");
    }

    @Test
    void aFlowThatLacksAPacketMayBeAnything() {
        silent(2, 0);
        later();
        check.report("b", SILENT);
        check.input(0, packet(1, 1, 0, true, 80, 20));
        String turned =
                REFUSED.replace("REJ", "OTH")
                        .replace("10.0.0.0\",\"originatorPort\":5000", "O")
                        .replace("20.0.0.0\",\"responderPort\":80", "R")
                        .replace("O,", "20.0.0.0\",\"originatorPort\":80,")
                        .replace("R}", "10.0.0.0\",\"responderPort\":5000}");
        check.report("a", turned);
        check.judge();
        assertThat(verdict.violations()).isEmpty();
        assertThat(verdict.numbers()).containsEntry("incomplete", 1L);
    }

    @Test
    void aReportOfNoFlowIsFoundAlthoughAFlowLacksItsEnd() {
        refused();
        check.report("a", REFUSED);
        check.input(0, packet(7, 0, 0, false, 443, 2));
        check.report("b", REFUSED.replace("10.0.0.0", "10.0.0.1"));
        check.report("c", SILENT.replace("S0", "S1"));
        check.report("d", SILENT.replace("S0", "S1"));
        check.judge();
        assertThat(verdict.violations())
                .singleElement()
                .asString()
                .contains("a report of no flow that was sent: 2");
    }

    @Test
    void aRunInWhichNothingHadToBeReportedIsNotRight() {
        check.judge();
        assertThat(verdict.violations())
                .singleElement()
                .asString()
                .contains("no flow was sent that has to be reported");
    }

    @Test
    void thePacketsOfAFlowComeInOrderInOnePartitionAndSomeComeTwice() {
        FlowsScript script = new FlowsScript("t", 4, new SplittableRandom(1), 1000);
        List<List<Long>> partitions = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            partitions.add(new ArrayList<>());
        }
        for (int i = 0; i < 50_000; i++) {
            ProducerRecord<byte[], byte[]> record = script.next().record().apply(i);
            partitions.get(record.partition()).add(PacketBytes.of(record.value()).operation());
        }
        long repeats = 0;
        for (List<Long> operations : partitions) {
            java.util.Map<Long, Integer> next = new java.util.HashMap<>();
            for (long operation : operations) {
                int index = (int) (operation & 0xFF);
                int expected = next.getOrDefault(operation >>> 8, 0);
                assertThat(index).isBetween(expected - 1, expected);
                repeats += index < expected ? 1 : 0;
                next.put(operation >>> 8, index + 1);
            }
        }
        assertThat(repeats).isGreaterThan(1000);
    }

    private void refused() {
        check.input(0, packet(1, 0, 0, false, 80, 2));
        check.input(0, packet(1, 1, 0, true, 80, 20));
    }

    private void silent(long flow, long millis) {
        check.input(0, packet(flow, 0, millis, false, 81, 2));
    }

    /** Moves the time of the topic beyond the timeout. */
    private void later() {
        silent(99, TIMEOUT + 1);
    }

    private static PacketBytes packet(
            long flow, int index, long millis, boolean isReply, int port, int flags) {
        long id = flow << 8 | index;
        long nanos = millis * 1_000_000;
        return isReply
                ? new PacketBytes(id, nanos, 6, flags, RESPONDER, port, ORIGINATOR, 5000)
                : new PacketBytes(id, nanos, 6, flags, ORIGINATOR, 5000, RESPONDER, port);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flows;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.capture.CaptureWriter;
import io.sluice.capture.LinkType;
import io.sluice.capture.Packet;
import io.sluice.cli.Sluice;
import io.sluice.flink.testkit.local.EmbeddedKafka;
import io.sluice.job.Topics;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code sluice flows}: what it tells of captures, and that a job on Kafka tells the same. */
class CaptureFlowsIT {
    /** The lowest byte of a field in the header of the file. */
    private static final int LINK_TYPE_BYTE = 20;

    private static final int FILE_HEADER = 24;
    private static final int RECORD_HEADER = 16;
    private static final int CAPTURED_LENGTH = 8;

    @TempDir private static Path folder;

    /** Flows of every fate, two scans, a flood, illegal packets. */
    private static Path capture;

    record Run(int exit, String out, String errors) {
        JsonNode json() throws IOException {
            return new ObjectMapper().readTree(out);
        }
    }

    @BeforeAll
    static void generate() {
        capture = folder.resolve("traffic.pcap");
        Run generated =
                sluice(
                        "generate",
                        capture.toString(),
                        "--model=flows",
                        "--flows=3000",
                        "--duration=90 s",
                        "--scans=2",
                        "--floods=1",
                        "--illegal=20");
        assertThat(generated.exit).as(generated.errors).isZero();
    }

    private static Run sluice(String... arguments) {
        PrintStream out = System.out;
        PrintStream err = System.err;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        ByteArrayOutputStream errors = new ByteArrayOutputStream();
        System.setOut(new PrintStream(printed, true, UTF_8));
        System.setErr(new PrintStream(errors, true, UTF_8));
        try {
            int exit = Sluice.run(arguments);
            return new Run(exit, printed.toString(UTF_8), errors.toString(UTF_8));
        } finally {
            System.setOut(out);
            System.setErr(err);
        }
    }

    static Run flows(Path out, List<Path> captures, String... more) {
        List<String> arguments = new ArrayList<>(List.of("flows", "--json", "--out=" + out));
        captures.forEach(each -> arguments.add(each.toString()));
        arguments.addAll(List.of(more));
        return sluice(arguments.toArray(String[]::new));
    }

    private static List<String> sorted(Path file) throws IOException {
        return Files.readAllLines(file).stream().sorted().toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"exact", "kbf"})
    void theJobOnKafkaGivesTheSameFlowsAndAlerts(String store) throws Exception {
        Path out = folder.resolve("like-" + store);
        Run run = flows(out, List.of(capture), "--store=" + store);
        assertThat(run.exit).as(run.errors).isZero();

        try (EmbeddedKafka kafka =
                EmbeddedKafka.start(Files.createDirectory(folder.resolve("kafka-" + store)))) {
            String servers = "--bootstrap-servers=" + kafka.bootstrapServers();
            assertThat(sluice("replay", capture.toString(), servers, "--retries=0").exit).isZero();
            Run job =
                    sluice(
                            "job",
                            "flows",
                            servers,
                            "--bounded",
                            "--store=" + store,
                            "--totals=" + store.equals("exact"));
            assertThat(job.exit).as(job.errors).isZero();

            assertThat(withoutReason(sorted(out.resolve("flows.jsonl"))))
                    .isEqualTo(withoutReason(lines(kafka, "flows")));
            assertThat(sorted(out.resolve("alerts.jsonl"))).isEqualTo(lines(kafka, "flows-alerts"));
        }
    }

    /** The same five values in two VLANs: one connection ends in order, the other is refused. */
    @Test
    void vlansTellConnectionsApartIfTheyAreAskedFor() throws Exception {
        Path tagged = inTwoVlans(folder.resolve("vlans.pcap"));
        Path apart = folder.resolve("vlans-apart");
        Path ignored = folder.resolve("vlans-ignored");

        Run run = flows(apart, List.of(tagged), "--vlans");
        flows(ignored, List.of(tagged));

        assertThat(run.errors).isEmpty();
        assertThat(rows(apart, "conn_state", "vlan", "inner_vlan", "id.orig_p"))
                .containsExactlyInAnyOrder(
                        List.of("REJ", "20", "-", "50000"), List.of("SF", "10", "7", "50000"));
        assertThat(rows(ignored, "uid")).hasSize(1);
        try (EmbeddedKafka kafka =
                EmbeddedKafka.start(Files.createDirectory(folder.resolve("kafka-vlans")))) {
            String servers = "--bootstrap-servers=" + kafka.bootstrapServers();
            assertThat(sluice("replay", tagged.toString(), servers, "--retries=0").exit).isZero();
            Run job = sluice("job", "flows", servers, "--bounded", "--vlans", "--totals=true");
            assertThat(job.exit).as(job.errors).isZero();
            assertThat(lines(kafka, "flows")).isEqualTo(sorted(apart.resolve("flows.jsonl")));
        }
    }

    private static Path inTwoVlans(Path file) throws IOException {
        String outside = "88a8000a81000007";
        String other = "81000014";
        try (CaptureWriter writer =
                new CaptureWriter(Files.newOutputStream(file), LinkType.ETHERNET, 65_535)) {
            write(writer, 1, outside, true, Packet.SYN);
            write(writer, 2, other, true, Packet.SYN);
            write(writer, 3, outside, false, Packet.SYN | Packet.ACK);
            write(writer, 4, other, false, Packet.RST | Packet.ACK);
            write(writer, 5, outside, true, Packet.FIN | Packet.ACK);
            write(writer, 6, outside, false, Packet.FIN | Packet.ACK);
        }
        return file;
    }

    private static void write(
            CaptureWriter writer, long millis, String tags, boolean isRequest, int flags)
            throws IOException {
        String client = "0a000001";
        String server = "0a000002";
        byte[] frame =
                HexFormat.of()
                        .parseHex(
                                "020000000002020000000001"
                                        + tags
                                        + "0800450000280000400040060000"
                                        + (isRequest ? client + server : server + client)
                                        + (isRequest ? "c35001bb" : "01bbc350")
                                        + "000000010000000050%02x200000000000".formatted(flags));
        writer.write(millis * 1_000_000, frame, frame.length, frame.length);
    }

    /** Some columns of the log, in their order there. */
    private static List<List<String>> rows(Path out, String... columns) throws IOException {
        List<String> log = Files.readAllLines(out.resolve("conn.log"));
        List<String> fields = List.of(log.get(5).substring("#fields\t".length()).split("\t"));
        return log.stream()
                .filter(line -> !line.startsWith("#"))
                .map(line -> line.split("\t"))
                .map(row -> Stream.of(columns).map(name -> row[fields.indexOf(name)]).toList())
                .toList();
    }

    /**
     * A flow that no packet ended has timed out if a watermark said so before the input ended; when
     * watermarks come in the job is a matter of the wall clock. State and time are the same.
     */
    private static List<String> withoutReason(List<String> lines) {
        return lines.stream()
                .map(
                        line ->
                                line.replaceFirst(
                                        "\"reason\":\"(timed-out|end-of-input)\"",
                                        "\"reason\":\"not-ended\""))
                .toList();
    }

    /** The values of a topic, with their keys, as in files. */
    private static List<String> lines(EmbeddedKafka kafka, String topic) throws IOException {
        List<String> lines = new ArrayList<>();
        for (ConsumerRecord<byte[], byte[]> record : Topics.readAll(kafka, topic)) {
            String value = new String(record.value(), UTF_8);
            lines.add(
                    "{\"flow\":\""
                            + new String(record.key(), US_ASCII)
                            + "\","
                            + value.substring(1));
        }
        Collections.sort(lines);
        return lines;
    }

    @Test
    void theSummaryCountsWhatTheFilesHold() throws Exception {
        Path out = folder.resolve("counted");

        Run run = flows(out, List.of(capture));

        assertThat(run.exit).isZero();
        assertThat(run.errors).as("nothing went wrong").isEmpty();
        JsonNode summary = run.json();
        Map<String, Long> states = new TreeMap<>();
        Map<String, Long> told = new TreeMap<>();
        for (String line : Files.readAllLines(out.resolve("flows.jsonl"))) {
            JsonNode flow = new ObjectMapper().readTree(line);
            states.merge(
                    flow.path("state").asText() + ' ' + flow.path("reason").asText(),
                    1L,
                    Long::sum);
        }
        summary.path("flows")
                .properties()
                .forEach(
                        state -> {
                            tell(told, state.getKey() + " ended", state.getValue().path("ended"));
                            tell(
                                    told,
                                    state.getKey() + " timed-out",
                                    state.getValue().path("timedOut"));
                            tell(
                                    told,
                                    state.getKey() + " end-of-input",
                                    state.getValue().path("open"));
                        });
        assertThat(told).isEqualTo(states).hasSizeGreaterThan(5);
        Map<String, Long> alerts = new TreeMap<>();
        Map<String, Long> toldAlerts = new TreeMap<>();
        for (String line : Files.readAllLines(out.resolve("alerts.jsonl"))) {
            JsonNode alert = new ObjectMapper().readTree(line);
            alerts.merge(alert.path("alert").asText(), 1L, Long::sum);
        }
        summary.path("alerts")
                .properties()
                .forEach(kind -> tell(toldAlerts, kind.getKey(), kind.getValue()));
        assertThat(toldAlerts).isEqualTo(alerts).containsOnlyKeys("fin-and-rst", "illegal-flags");
        assertThat(summary.path("packets").path("tcp").asLong())
                .isPositive()
                .isLessThan(summary.path("packets").path("ip").asLong());
        assertThat(summary.path("problem").asText()).isEmpty();
    }

    private static void tell(Map<String, Long> told, String name, JsonNode count) {
        if (count.asLong() > 0) {
            told.put(name, count.asLong());
        }
    }

    /** What trails behind the end of a flow is not counted. */
    @Test
    void everyFlowHasItsEndsAndItsTotals() throws Exception {
        Path out = folder.resolve("totals");
        Path without = folder.resolve("without-totals");

        Run run = flows(out, List.of(capture));
        flows(without, List.of(capture), "--totals=false");

        long packets = 0;
        for (String line : Files.readAllLines(out.resolve("flows.jsonl"))) {
            JsonNode flow = new ObjectMapper().readTree(line);
            assertThat(flow.hasNonNull("originator")).as(line).isTrue();
            assertThat(flow.path("firstTimestamp").asLong())
                    .isLessThanOrEqualTo(flow.path("lastTimestamp").asLong());
            long ofFlow =
                    flow.path("originatorPackets").asLong()
                            + flow.path("responderPackets").asLong();
            assertThat(flow.path("originatorBytes").asLong() + flow.path("responderBytes").asLong())
                    .isGreaterThanOrEqualTo(40 * ofFlow);
            packets += ofFlow;
        }
        long tcp = run.json().path("packets").path("tcp").asLong();
        assertThat(packets).isBetween(tcp / 2, tcp);
        assertThat(fates(without)).isEqualTo(fates(out));
        assertThat(Files.readString(without.resolve("flows.jsonl"))).doesNotContain("Timestamp");
    }

    @Test
    void everyFlowIsALineOfZeeksLogToo() throws Exception {
        Path out = folder.resolve("zeek");
        flows(out, List.of(capture));

        List<String> log = Files.readAllLines(out.resolve("conn.log"));
        List<String> header = log.stream().filter(line -> line.startsWith("#")).toList();
        List<String[]> rows =
                log.stream()
                        .filter(line -> !line.startsWith("#"))
                        .map(line -> line.split("\t"))
                        .toList();
        assertThat(header.get(0)).isEqualTo("#separator \\x09");
        String[] fields = header.get(5).split("\t");
        assertThat(fields).startsWith("#fields", "ts", "uid", "id.orig_h").contains("conn_state");
        assertThat(header.get(6).split("\t")).hasSameSizeAs(fields);
        assertThat(rows).allMatch(row -> row.length == fields.length - 1);
        List<String> flows = Files.readAllLines(out.resolve("flows.jsonl"));
        assertThat(rows).hasSameSizeAs(flows);
        for (int i = 0; i < rows.size(); i++) {
            JsonNode flow = new ObjectMapper().readTree(flows.get(i));
            assertThat(rows.get(i)[1]).isEqualTo(flow.path("flow").asText());
            assertThat(rows.get(i)[2]).isEqualTo(flow.path("originator").asText("-"));
            assertThat(rows.get(i)[11]).isEqualTo(flow.path("state").asText());
        }
        Path asZeek = folder.resolve("as-zeek");
        flows(asZeek, List.of(capture), "--format=zeek");
        assertThat(asZeek.resolve("conn.log")).hasSameBinaryContentAs(out.resolve("conn.log"));
        List<String> json = Files.readAllLines(asZeek.resolve("flows.jsonl"));
        assertThat(json).hasSameSizeAs(rows);
        for (int i = 0; i < rows.size(); i++) {
            JsonNode conn = new ObjectMapper().readTree(json.get(i));
            for (int field = 1; field < fields.length; field++) {
                String value = rows.get(i)[field - 1];
                JsonNode same = conn.path(fields[field]);
                assertThat(same.isMissingNode()).isEqualTo(value.equals("-"));
                if (!same.isMissingNode() && same.isNumber()) {
                    assertThat(same.decimalValue()).isEqualByComparingTo(value);
                } else if (!same.isMissingNode()) {
                    assertThat(same.asText()).isEqualTo(value);
                }
            }
        }
    }

    @Test
    void equalCapturesGiveEqualFilesAndMoreThreadsTheSameLines() throws Exception {
        Path once = folder.resolve("once");
        Path again = folder.resolve("again");
        Path wide = folder.resolve("wide");
        Path shuffled = shuffled();

        // Packets far out of order: what is late must not depend on how fast the machine is.
        Run run = flows(once, List.of(shuffled), "--out-of-orderness=1s");
        flows(again, List.of(shuffled), "--out-of-orderness=1s");
        flows(wide, List.of(shuffled), "--out-of-orderness=1s", "--parallelism=3");

        assertThat(run.errors).contains("packets were behind event time");
        for (String file : CaptureFlows.FILES) {
            assertThat(again.resolve(file)).hasSameBinaryContentAs(once.resolve(file));
        }
        for (String file : CaptureFlows.FILES) {
            assertThat(sorted(wide.resolve(file))).isEqualTo(sorted(once.resolve(file)));
        }
    }

    @Test
    void aCaptureIsNotReplacedByItsResults() throws Exception {
        Path out = Files.createDirectory(folder.resolve("of-the-capture"));
        Path here = Files.copy(capture, out.resolve("conn.log"));

        Run run = flows(out, List.of(here));

        assertThat(run.exit).isEqualTo(2);
        assertThat(run.errors).contains("conn.log is a capture", "--out");
        assertThat(here).hasSameBinaryContentAs(capture);
    }

    /** The exchanges between the threads need memory with the square of their number. */
    @Test
    void manyThreadsHaveTheirBuffers() throws Exception {
        Path wide = folder.resolve("as-wide-as-can-be");

        Run run = flows(wide, List.of(capture), "--parallelism=64");

        assertThat(run.exit).as(run.errors).isZero();
        assertThat(wide.resolve("conn.log")).isNotEmptyFile();
    }

    /** What the wall clock says must not matter: the same file tomorrow, the same flows. */
    @Test
    void aCaptureFromTheFutureHasTheSameFlows() throws Exception {
        Path future = written("future.pcap", shifted(60 * 365 * 86_400));
        Path now = folder.resolve("of-now");
        Path then = folder.resolve("of-the-future");

        flows(now, List.of(capture));
        Run run = flows(then, List.of(future));

        assertThat(run.errors).isEmpty();
        assertThat(fates(then)).hasSizeGreaterThan(3_000).isEqualTo(fates(now));
    }

    /** Nothing tells such packets from others but that the next ones have gone back. */
    @ParameterizedTest
    @CsvSource({"0, 1", "1, 1", "10000, 1", "10000, 3"})
    void wildTimestampsChangeNoOtherFlow(int at, int count) throws Exception {
        List<byte[]> records = records(Files.readAllBytes(capture));
        List<byte[]> without = new ArrayList<>(records);
        for (int i = at; i < at + count; i++) {
            byte[] wild = records.get(i).clone();
            ByteBuffer.wrap(wild).order(ByteOrder.LITTLE_ENDIAN).putInt(0, -1);
            records.set(i, wild);
            without.remove(at);
        }
        String name = at + "-" + count;
        Path clean = folder.resolve("clean-" + name);
        Path spoilt = folder.resolve("spoilt-" + name);

        flows(clean, List.of(written("clean-" + name + ".pcap", without)));
        Run run = flows(spoilt, List.of(written("spoilt-" + name + ".pcap", records)));

        assertThat(run.errors)
                .contains(count + " packets have a time more than --max-ahead")
                .doesNotContain("behind event time");
        List<String> more = new ArrayList<>(fates(spoilt));
        fates(clean).forEach(more::remove);
        assertThat(more.stream().map(fate -> fate.substring(0, fate.indexOf(' '))).distinct())
                .as("flows of these packets")
                .hasSizeLessThanOrEqualTo(count);
    }

    /** A packet now and then: event time follows each, and nobody is told of wrong times. */
    @Test
    void packetsThatAreHoursApartHaveTheirTimes() throws Exception {
        List<byte[]> syns = new ArrayList<>();
        List<byte[]> records = records(Files.readAllBytes(capture));
        for (int i = 0; i < 20; i++) {
            byte[] record = records.get(100 * i).clone();
            ByteBuffer.wrap(record)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .putInt(0, 1_700_000_000 + i * 13 * 3_600);
            syns.add(record);
        }
        Path out = folder.resolve("sparse");

        Run run = flows(out, List.of(written("sparse.pcap", syns)));

        assertThat(run.errors).isEmpty();
        List<String> lines = Files.readAllLines(out.resolve("flows.jsonl"));
        assertThat(lines).isNotEmpty();
        for (String line : lines) {
            JsonNode flow = new ObjectMapper().readTree(line);
            assertThat(flow.path("reason").asText()).isNotEqualTo("end-of-input");
        }
    }

    /** How each flow ended, and why it is reported. */
    private static List<String> fates(Path out) throws IOException {
        List<String> fates = new ArrayList<>();
        for (String line : Files.readAllLines(out.resolve("flows.jsonl"))) {
            JsonNode flow = new ObjectMapper().readTree(line);
            fates.add(flow.path("flow") + " " + flow.path("state") + " " + flow.path("reason"));
        }
        return fates.stream().sorted().toList();
    }

    private static List<byte[]> shifted(int seconds) throws IOException {
        List<byte[]> records = records(Files.readAllBytes(capture));
        for (byte[] record : records) {
            ByteBuffer times = ByteBuffer.wrap(record).order(ByteOrder.LITTLE_ENDIAN);
            times.putInt(0, times.getInt(0) + seconds);
        }
        return records;
    }

    /** The capture with every tenth packet two thousand packets late. */
    private static Path shuffled() throws IOException {
        List<byte[]> records = records(Files.readAllBytes(capture));
        List<byte[]> reordered = new ArrayList<>();
        List<byte[]> late = new ArrayList<>();
        for (int i = 0; i < records.size(); i++) {
            (i % 10 == 0 ? late : reordered).add(records.get(i));
            if (late.size() == 200) {
                reordered.addAll(late);
                late.clear();
            }
        }
        reordered.addAll(late);
        return written("shuffled.pcap", reordered);
    }

    @Test
    void severalCapturesAreMergedByTime() throws Exception {
        List<byte[]> even = new ArrayList<>();
        List<byte[]> odd = new ArrayList<>();
        List<byte[]> records = records(Files.readAllBytes(capture));
        for (int i = 0; i < records.size(); i++) {
            (i % 2 == 0 ? even : odd).add(records.get(i));
        }
        Path whole = folder.resolve("whole");
        Path merged = folder.resolve("merged");

        flows(whole, List.of(capture));
        Run run = flows(merged, List.of(written("a.pcap", even), written("b.pcap", odd)));

        assertThat(run.exit).isZero();
        assertThat(run.json().path("packets").path("read").asInt()).isEqualTo(records.size());
        // Packets of one nanosecond may change places, flows of one millisecond then do too.
        assertThat(sorted(merged.resolve("flows.jsonl")))
                .isEqualTo(sorted(whole.resolve("flows.jsonl")));
    }

    @Test
    void aCutCaptureGivesWhatWasReadAndFailsWithFileAndOffset() throws Exception {
        byte[] bytes = Files.readAllBytes(capture);
        List<byte[]> records = records(bytes);
        Path cut = Files.write(folder.resolve("cut.pcap"), Arrays.copyOf(bytes, bytes.length - 3));
        Path before = written("before.pcap", records.subList(0, records.size() - 1));

        Run run = flows(folder.resolve("cut"), List.of(cut));
        flows(folder.resolve("before"), List.of(before));

        int offset = bytes.length - records.get(records.size() - 1).length;
        assertThat(run.exit).isEqualTo(1);
        assertThat(run.errors.lines()).hasSize(1);
        assertThat(run.errors).startsWith("sluice: " + cut + ": cut within").contains("" + offset);
        assertThat(run.errors).startsWith("sluice: " + run.json().path("problem").asText());
        for (String file : CaptureFlows.FILES) {
            assertThat(folder.resolve("cut").resolve(file))
                    .hasSameBinaryContentAs(folder.resolve("before").resolve(file));
        }
    }

    @Test
    void aLinkTypeThatIsNotReadIsNamedAndNoPacketAtAllIsAFailure() throws Exception {
        byte[] bytes = Files.readAllBytes(capture);
        bytes[LINK_TYPE_BYTE] = 127;
        Path wireless = Files.write(folder.resolve("wireless.pcap"), bytes);

        Run alone = flows(folder.resolve("alone"), List.of(wireless));
        Run beside = flows(folder.resolve("beside"), List.of(wireless, capture));

        String line = "packets have link type 127 (IEEE 802.11 with radiotap headers)";
        assertThat(alone.exit).isEqualTo(1);
        assertThat(alone.errors).contains(line).contains("no packet with an IP header");
        assertThat(beside.exit).as(beside.errors).isZero();
        assertThat(beside.errors.lines()).hasSize(1);
        assertThat(beside.errors).startsWith("sluice: warning: ").contains(line);
    }

    @Test
    void aCaptureWithoutPacketsHasNoFlows() throws Exception {
        Path empty = written("no-packets.pcap", List.of());

        Run run = flows(folder.resolve("nothing"), List.of(empty));

        assertThat(run.exit).as(run.errors).isZero();
        assertThat(run.json().path("flows")).isEmpty();
        assertThat(folder.resolve("nothing/flows.jsonl")).isEmptyFile();
    }

    @Test
    void withoutRoomTheWarningNamesTheOption() {
        Path flood = folder.resolve("flood.pcap");
        sluice(
                "generate",
                flood.toString(),
                "--model=flows",
                "--flows=100",
                "--floods=1",
                "--flood-packets=150000");

        Run run = flows(folder.resolve("small"), List.of(flood), "--memory=1mb");

        assertThat(run.exit).as(run.errors).isZero();
        assertThat(run.errors).contains("found no room in --memory", "raise --memory");
    }

    @Test
    void nothingButTheResultsIsLeft() throws Exception {
        Path out = folder.resolve("tidy");
        Run text = sluice("flows", capture.toString(), "--out=" + out);

        assertThat(text.exit).as(text.errors).isZero();
        assertThat(text.out).contains("TCP flows", "open at the end", "written: " + out);
        try (Stream<Path> left = Files.list(out)) {
            assertThat(left.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrderElementsOf(CaptureFlows.FILES);
        }
    }

    @Test
    void aRunThatFailsLeavesOlderResults() throws Exception {
        Path out = folder.resolve("older");
        flows(out, List.of(capture));
        byte[] before = Files.readAllBytes(out.resolve("flows.jsonl"));
        Path times = folder.resolve("times.txt");
        Files.writeString(times, "1.000000000\n".repeat(10));

        Run run = flows(out, List.of(capture), "--times=" + times);

        assertThat(run.exit).isEqualTo(2);
        assertThat(run.errors.lines()).as(run.errors).hasSize(1);
        assertThat(run.errors)
                .startsWith("sluice: " + times)
                .contains("begins with another time than the capture");
        assertThat(out.resolve("flows.jsonl")).hasBinaryContent(before);
        try (Stream<Path> left = Files.list(out)) {
            assertThat(left).hasSize(CaptureFlows.FILES.size());
        }
    }

    @Test
    void completionKnowsIt() {
        assertThat(sluice("generate-completion").out).contains("sluice_flows", "--closed-timeout");
    }

    private static List<byte[]> records(byte[] pcap) {
        ByteBuffer in = ByteBuffer.wrap(pcap).order(ByteOrder.LITTLE_ENDIAN);
        List<byte[]> records = new ArrayList<>();
        int at = FILE_HEADER;
        while (at < pcap.length) {
            int end = at + RECORD_HEADER + in.getInt(at + CAPTURED_LENGTH);
            records.add(Arrays.copyOfRange(pcap, at, end));
            at = end;
        }
        return records;
    }

    private static Path written(String name, List<byte[]> records) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(Files.readAllBytes(capture), 0, FILE_HEADER);
        for (byte[] record : records) {
            out.write(record);
        }
        return Files.write(folder.resolve(name), out.toByteArray());
    }
}

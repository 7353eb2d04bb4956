/* SPDX-License-Identifier: Apache-2.0 */
package example;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Judged by how the queries in a capture were made. */
class DnsTest {
    private static final int QUERIES = 400;
    private static final int SERVER = 0x08080808;

    /** A UDP packet between a client and a server. */
    private record Message(long millis, int client, int port, int server, int id, int flags) {
        boolean isAnswer() {
            return (flags & 0x8000) != 0;
        }

        String key() {
            return "10.0.0." + (client & 0xff) + ":" + port + " 8.8.8.8 " + id;
        }
    }

    @TempDir private Path folder;

    private final List<Message> messages = new ArrayList<>();
    private final List<String> expected = new ArrayList<>();

    @Test
    void whatBecameOfEachQueryOfACaptureIsFound() throws Exception {
        Random random = new Random(6);
        for (int i = 0; i < QUERIES; i++) {
            int client = 0x0a000000 + i % 200;
            long at = 1_700_000_000_000L + 100L * i;
            Message query = new Message(at, client, 40_000 + i, SERVER, random.nextInt(9), 0x0100);
            switch (random.nextInt(5)) {
                case 0 -> {
                    messages.add(query);
                    answer(query, at + 20, 0x8180);
                    expected.add("FINISHED " + query.key() + " answered answer");
                }
                case 1 -> {
                    messages.add(query);
                    answer(query, at + 900, 0x8183);
                    expected.add("FINISHED " + query.key() + " answered failed");
                }
                case 2 -> {
                    messages.add(query);
                    messages.add(later(query, 1_000));
                    answer(query, at + 1_050, 0x8180);
                    expected.add("OUTPUT " + query.key() + " asked asked again");
                    expected.add("FINISHED " + query.key() + " answered answer");
                }
                case 3 -> {
                    messages.add(query);
                    answer(query, at + 9_000, 0x8180);
                    expected.add("TIMED_OUT " + query.key() + " asked");
                    expected.add("ILLEGAL " + query.key() + " none answer");
                }
                default -> {
                    messages.add(query);
                    expected.add("TIMED_OUT " + query.key() + " asked");
                }
            }
        }
        messages.sort(Comparator.comparingLong(Message::millis));
        Message last = later(messages.get(0), 600_000);
        messages.add(last);
        expected.add("OPEN " + last.key() + " asked");

        List<Event> events = DnsCapture.events(capture());
        assertThat(events).hasSize(messages.size());
        assertThat(Followed.reports("dns.yaml", events))
                .isEqualTo(expected.stream().sorted().toList());
    }

    private void answer(Message query, long millis, int flags) {
        messages.add(
                new Message(
                        millis, query.client(), query.port(), query.server(), query.id(), flags));
    }

    private static Message later(Message query, long millis) {
        return new Message(
                query.millis() + millis,
                query.client(),
                query.port(),
                query.server(),
                query.id(),
                query.flags());
    }

    /** Writes the messages, and between them packets that are not DNS. */
    private Path capture() throws Exception {
        ByteBuffer file = ByteBuffer.allocate(24 + messages.size() * 200);
        file.order(ByteOrder.LITTLE_ENDIAN);
        file.putInt(0xa1b2c3d4).putShort((short) 2).putShort((short) 4);
        file.putInt(0).putInt(0).putInt(65_535).putInt(1);
        for (Message message : messages) {
            put(file, message, 53);
            put(file, message, 54);
        }
        Path capture = folder.resolve("dns.pcap");
        byte[] bytes = new byte[file.flip().remaining()];
        file.get(bytes);
        Files.write(capture, bytes);
        return capture;
    }

    private static void put(ByteBuffer file, Message message, int serverPort) {
        int dns = 12;
        int length = 14 + 20 + 8 + dns;
        file.putInt((int) (message.millis() / 1_000));
        file.putInt((int) (message.millis() % 1_000) * 1_000);
        file.putInt(length).putInt(length);
        ByteBuffer packet = ByteBuffer.allocate(length);
        packet.position(12);
        packet.putShort((short) 0x0800);
        packet.put((byte) 0x45).put((byte) 0).putShort((short) (length - 14)).putInt(0);
        packet.put((byte) 64).put((byte) 17).putShort((short) 0);
        int client = message.client();
        int server = message.server();
        packet.putInt(message.isAnswer() ? server : client);
        packet.putInt(message.isAnswer() ? client : server);
        packet.putShort((short) (message.isAnswer() ? serverPort : message.port()));
        packet.putShort((short) (message.isAnswer() ? message.port() : serverPort));
        packet.putShort((short) (8 + dns)).putShort((short) 0);
        packet.putShort((short) message.id()).putShort((short) message.flags());
        file.put(packet.array());
    }
}

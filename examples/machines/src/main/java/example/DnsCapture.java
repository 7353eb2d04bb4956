/* SPDX-License-Identifier: Apache-2.0 */
package example;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The DNS messages of a capture in the classic format pcap: Ethernet, IPv4, UDP, port 53. Whatever
 * else a capture has is left out.
 */
final class DnsCapture {
    private static final int FILE_HEADER = 24;
    private static final int RECORD_HEADER = 16;
    private static final int ETHERNET = 14;
    private static final int IPV4 = 0x0800;
    private static final int UDP = 17;
    private static final int UDP_HEADER = 8;
    private static final int DNS_PORT = 53;
    private static final int DNS_HEADER = 12;

    private DnsCapture() {}

    /** Reads the events of a capture, in their order. */
    static List<Event> events(Path capture) throws IOException {
        ByteBuffer file = ByteBuffer.wrap(Files.readAllBytes(capture));
        file.order(ByteOrder.LITTLE_ENDIAN);
        if (file.remaining() < FILE_HEADER || file.getInt(0) != 0xa1b2c3d4) {
            throw new IOException(capture + " is not a little-endian pcap with microseconds");
        }
        List<Event> events = new ArrayList<>();
        file.position(FILE_HEADER);
        while (file.remaining() >= RECORD_HEADER) {
            long millis = 1_000L * Integer.toUnsignedLong(file.getInt()) + file.getInt() / 1_000;
            int length = file.getInt();
            file.getInt();
            if (length < 0 || length > file.remaining()) {
                throw new IOException(capture + " is cut at byte " + file.position());
            }
            ByteBuffer packet = file.slice(file.position(), length).order(ByteOrder.BIG_ENDIAN);
            file.position(file.position() + length);
            Event event = event(packet, millis);
            if (event != null) {
                events.add(event);
            }
        }
        return events;
    }

    /** Null if it is not a DNS message. */
    private static Event event(ByteBuffer packet, long millis) throws IOException {
        if (packet.limit() < ETHERNET + 20 || packet.getShort(12) != IPV4) {
            return null;
        }
        int udp = ETHERNET + 4 * (packet.get(ETHERNET) & 0xf);
        boolean isFragment = (packet.getShort(ETHERNET + 6) & 0x1fff) != 0;
        if (packet.get(ETHERNET + 9) != UDP
                || isFragment
                || packet.limit() < udp + UDP_HEADER + DNS_HEADER) {
            return null;
        }
        int from = packet.getShort(udp) & 0xffff;
        int to = packet.getShort(udp + 2) & 0xffff;
        int dns = udp + UDP_HEADER;
        int flags = packet.getShort(dns + 2) & 0xffff;
        boolean isAnswer = (flags & 0x8000) != 0;
        if ((isAnswer ? from : to) != DNS_PORT) {
            return null;
        }
        String sender = address(packet, ETHERNET + 12);
        String receiver = address(packet, ETHERNET + 16);
        int id = packet.getShort(dns) & 0xffff;
        String key =
                isAnswer
                        ? receiver + ":" + to + " " + sender + " " + id
                        : sender + ":" + from + " " + receiver + " " + id;
        String event = !isAnswer ? "query" : (flags & 0xf) == 0 ? "answer" : "failure";
        return new Event(key, event, millis);
    }

    private static String address(ByteBuffer packet, int at) throws IOException {
        byte[] bytes = new byte[4];
        packet.get(at, bytes);
        return InetAddress.getByAddress(bytes).getHostAddress();
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import static io.sluice.fuzz.Reading.check;
import static io.sluice.fuzz.Reading.isRefusedOrWorks;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.sluice.flink.reconcile.message.Message;
import io.sluice.flink.reconcile.message.MessageFormat;
import io.sluice.flink.reconcile.message.MessageKind;
import io.sluice.fuzz.Envelopes;
import java.io.IOException;
import java.util.Arrays;
import java.util.TreeMap;

/** What replicas send each other, and what they keep. */
class ReplicasFuzzTest {

    private static final int IDS = 20;

    @FuzzTest
    void aMessage(byte[] bytes) throws IOException {
        isRefusedOrWorks(
                Envelopes.righted(bytes),
                (in, source) -> MessageFormat.read(in.readAllBytes(), source),
                ReplicasFuzzTest::receive);
    }

    /** By a replica whose window is closed; afterwards its state can be written, and read again. */
    private static byte[] receive(Message message) throws IOException {
        byte[] written = MessageFormat.write(message);
        Message.Head head = message.head();
        ReconcileSettings settings = GoldenMessages.SETTINGS;
        if (!head.setup().equals(settings.setup())) {
            return written;
        }
        Side side = new Side(settings, head.group(), GoldenMessages.INCARNATION);
        Elements elements = new Elements(head.group());
        Reconciliation exchange = new Reconciliation(side, head.window());
        try {
            for (byte id = 0; id < IDS; id++) {
                exchange.add(elements.hash(new byte[] {id}), new byte[] {id}, 1, elements);
            }
            exchange.close(elements);
            exchange.receive(message, elements);
            exchange.beforeCheckpoint(settings.retryMillis(), elements);
        } catch (RuntimeException | IOException e) {
            throw new AssertionError("a message that was read can be received", e);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        if (!exchange.phase().isOver()) {
            ReconciliationFormat.read(ReconciliationFormat.write(exchange), side, "the state");
        }
        return written;
    }

    /** The elements of a window, in memory. Any bytes are an id of the key group. */
    private static final class Elements implements Host {
        private final TreeMap<Long, Element> held = new TreeMap<>();
        private final int group;

        Elements(int group) {
            this.group = group;
        }

        @Override
        public void forEach(Visitor visitor) {
            held.forEach((hash, element) -> visitor.element(hash, element.copies()));
        }

        @Override
        public Element get(long hash) {
            return held.get(hash);
        }

        @Override
        public void put(long hash, Element element) {
            held.put(hash, element);
        }

        @Override
        public void clear() {
            held.clear();
        }

        @Override
        public long hash(byte[] id) {
            long groups = GoldenMessages.SETTINGS.setup().groups();
            long high = ((2L * group + 1) << Integer.SIZE) / (2 * groups);
            return high << Integer.SIZE | Integer.toUnsignedLong(Arrays.hashCode(id));
        }

        @Override
        public void send(MessageKind kind, byte[] message) throws IOException {
            Message sent = MessageFormat.read(message, "sent");
            check(sent.kind() == kind, "what is sent can be read");
        }

        @Override
        public void repaired(byte[] id, long before, long after) {
            check(after > before, "repairs only raise");
        }

        @Override
        public void refused(Refusal why) {}

        @Override
        public void saturated(int number) {
            check(number >= 0, "a number of elements");
        }

        @Override
        public void suspended(WindowReport report) {}

        @Override
        public void concluded(WindowReport report) {}
    }

    @FuzzTest
    void anExchange(byte[] bytes) throws IOException {
        Side side = new Side(GoldenMessages.SETTINGS, 77, GoldenMessages.INCARNATION + 1);
        isRefusedOrWorks(
                Envelopes.righted(bytes),
                (in, source) -> ReconciliationFormat.read(in.readAllBytes(), side, source),
                ReconciliationFormat::write);
    }

    @FuzzTest
    void aKeyGroup(byte[] bytes) throws IOException {
        isRefusedOrWorks(
                Envelopes.righted(bytes),
                (in, source) -> KeyGroupFormat.read(in.readAllBytes(), source),
                KeyGroupFormat::write);
    }
}

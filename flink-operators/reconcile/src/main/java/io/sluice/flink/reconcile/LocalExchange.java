/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import io.sluice.filter.cuckoo.sync.RootSet;
import io.sluice.filter.rateless.ExchangeKey;
import io.sluice.flink.reconcile.WindowReport.Outcome;
import io.sluice.flink.reconcile.message.Message;
import io.sluice.flink.reconcile.message.MessageFormat;
import io.sluice.flink.reconcile.message.MessageKind;
import io.sluice.flink.reconcile.message.Phase;
import io.sluice.flink.reconcile.message.Setup;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.flink.annotation.Internal;

/**
 * Both halves of an exchange in one process, for counting what the messages of a method take: as in
 * a job, and with messages that all arrive. The ids are the 8 bytes of the hashes. Equal arguments
 * give equal bytes. Not thread-safe.
 */
@Internal
public final class LocalExchange {

    private static final int MAX_CHECKPOINTS = 1_000;
    private static final int MAX_MESSAGE_BYTES = 1 << 20;

    private final Half a;
    private final Half b;

    /**
     * What exchanges took, both directions together.
     *
     * @param bytes of all messages
     * @param checkpoints on each side until the last of them was settled, at each of which messages
     *     left
     */
    public record Cost(long bytes, int checkpoints) {}

    private LocalExchange(ReconcileSettings ofA, ReconcileSettings ofB, int group, long seed) {
        a = new Half(ofA, group, seed);
        b = new Half(ofB, group, ~seed);
    }

    /**
     * Runs an exchange of each key group until both sides are settled.
     *
     * @param groups key groups, from 1 on
     * @param counterBits of filters, see {@link ReconciliationOptions#COUNTER_BITS}
     * @param seed of secret keys
     * @throws IllegalStateException if the sides do not agree
     */
    public static Cost of(
            DifferenceMethod method,
            int groups,
            int counterBits,
            RootSet ofA,
            RootSet ofB,
            long seed) {
        ReconcileSettings settings = settings("a", "b", method, groups, counterBits);
        ReconcileSettings others = settings("b", "a", method, groups, counterBits);
        List<LocalExchange> exchanges = new ArrayList<>();
        for (int group = 0; group < groups; group++) {
            exchanges.add(new LocalExchange(settings, others, group, seed + group));
        }
        ofA.forEach((hash, copies) -> exchanges.get(groupOf(hash, settings)).a.add(hash, copies));
        ofB.forEach((hash, copies) -> exchanges.get(groupOf(hash, settings)).b.add(hash, copies));
        Cost all = new Cost(0, 0);
        for (LocalExchange exchange : exchanges) {
            Cost cost = exchange.run();
            all = new Cost(all.bytes + cost.bytes, Math.max(all.checkpoints, cost.checkpoints));
        }
        return all;
    }

    private static int groupOf(long hash, ReconcileSettings settings) {
        return settings.setup().groupOf(hash);
    }

    private static ReconcileSettings settings(
            String replica, String peer, DifferenceMethod method, int groups, int counterBits) {
        return new ReconcileSettings(
                new Setup(1, groups, 1, ReconciliationOptions.SEED.defaultValue()),
                replica,
                peer,
                method,
                ReconciliationOptions.FALSE_POSITIVE_PROBABILITY.defaultValue(),
                counterBits,
                Duration.ofHours(1).toMillis(),
                0,
                1,
                MAX_MESSAGE_BYTES,
                Long.MAX_VALUE,
                1,
                2,
                0,
                false);
    }

    private Cost run() {
        try {
            a.exchange.close(a);
            b.exchange.close(b);
            int checkpoints = 0;
            while (!a.isSettled() || !b.isSettled()) {
                if (checkpoints++ == MAX_CHECKPOINTS) {
                    throw new IllegalStateException("both sides wait for each other");
                }
                List<byte[]> toA = b.checkpoint();
                List<byte[]> toB = a.checkpoint();
                a.receive(toA);
                b.receive(toB);
            }
            return new Cost(a.sent + b.sent, checkpoints);
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException("nothing here does input or output", e);
        }
    }

    /** One side. */
    private static final class Half implements Host {
        private final Map<Long, Element> elements = new HashMap<>();
        private final SplittableRandom keys;
        private final Reconciliation exchange;
        private List<byte[]> outbox = new ArrayList<>();
        private long sent;

        Half(ReconcileSettings settings, int group, long seed) {
            keys = new SplittableRandom(seed);
            exchange = new Reconciliation(new Side(settings, group, 1), 0);
        }

        void add(long hash, long copies) {
            byte[] id = ByteBuffer.allocate(Long.BYTES).putLong(hash).array();
            try {
                if (!exchange.add(hash, id, copies, this)) {
                    throw new IllegalArgumentException("more copies than can be counted");
                }
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IllegalStateException("nothing here does input or output", e);
            }
        }

        boolean isSettled() {
            return exchange.phase() == Phase.SETTLED && outbox.isEmpty();
        }

        /** Returns the messages that leave with it. */
        List<byte[]> checkpoint() throws Exception {
            // No time passes: nothing is lost, so nothing is repeated.
            exchange.beforeCheckpoint(0, this);
            List<byte[]> messages = outbox;
            outbox = new ArrayList<>();
            return messages;
        }

        void receive(List<byte[]> messages) throws Exception {
            for (byte[] bytes : messages) {
                Message message = MessageFormat.read(bytes, "a message");
                exchange.receive(message, this);
            }
        }

        @Override
        public void forEach(Visitor visitor) {
            elements.forEach((hash, element) -> visitor.element(hash, element.copies()));
        }

        @Override
        public Element get(long hash) {
            return elements.get(hash);
        }

        @Override
        public ExchangeKey newKey() {
            return new ExchangeKey(keys.nextLong(), keys.nextLong());
        }

        @Override
        public void put(long hash, Element element) {
            elements.put(hash, element);
        }

        @Override
        public void clear() {
            elements.clear();
        }

        @Override
        public long hash(byte[] id) throws IOException {
            if (id.length != Long.BYTES) {
                throw new IOException("an id of " + id.length + " bytes");
            }
            return ByteBuffer.wrap(id).getLong();
        }

        @Override
        public void send(MessageKind kind, byte[] message) {
            outbox.add(message);
            sent += message.length;
        }

        @Override
        public void repaired(byte[] id, long before, long after) {}

        @Override
        public void refused(Refusal why) {}

        @Override
        public void saturated(int number) {}

        @Override
        public void suspended(WindowReport report) {}

        @Override
        public void concluded(WindowReport report) {
            if (!report.outcome().equals(Outcome.AGREED.name())) {
                throw new IllegalStateException("the sides do not agree: " + report);
            }
        }
    }
}

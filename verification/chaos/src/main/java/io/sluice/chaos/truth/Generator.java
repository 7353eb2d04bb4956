/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.truth;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Sends what a {@link Script} says, as an idempotent producer that waits for acknowledgements and
 * retries for as long as a run may last. A record that is not acknowledged in the end may or may
 * not be on its topic.
 */
public final class Generator implements AutoCloseable {
    /** A broker that is away for longer than this makes the schedule wait, not hurry. */
    private static final long MAX_BEHIND_MILLIS = 1000;

    private static final Duration TO_END = Duration.ofMinutes(3);

    private final Script script;
    private final AckLog log;
    private final KafkaProducer<byte[], byte[]> producer;
    private final Thread thread;
    private volatile boolean ended;
    private volatile Throwable failure;

    /** Begins to send to {@code servers}. */
    public Generator(String name, Script script, AckLog log, String servers) {
        this.script = script;
        this.log = log;
        int most = Math.toIntExact(Duration.ofHours(2).toMillis());
        producer =
                new KafkaProducer<>(
                        Map.of(
                                ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                                servers,
                                ProducerConfig.CLIENT_ID_CONFIG,
                                "chaos-" + name,
                                ProducerConfig.ACKS_CONFIG,
                                "all",
                                ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG,
                                true,
                                ProducerConfig.LINGER_MS_CONFIG,
                                10,
                                ProducerConfig.MAX_BLOCK_MS_CONFIG,
                                most,
                                ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG,
                                10_000,
                                ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG,
                                most),
                        new ByteArraySerializer(),
                        new ByteArraySerializer());
        thread = new Thread(this::send, "chaos-generator-" + name);
        thread.setDaemon(true);
        thread.start();
    }

    private void send() {
        try {
            long start = System.nanoTime();
            while (!ended) {
                Script.Planned planned = script.next();
                long aheadMillis = planned.dueMillis() - millisSince(start);
                if (aheadMillis > 0) {
                    Thread.sleep(aheadMillis);
                } else if (aheadMillis < -MAX_BEHIND_MILLIS) {
                    start -= TimeUnit.MILLISECONDS.toNanos(aheadMillis);
                }
                send(planned.record().apply(System.currentTimeMillis()));
            }
            producer.flush();
        } catch (InterruptedException | RuntimeException | Error e) {
            failure = e;
        }
    }

    private void send(ProducerRecord<byte[], byte[]> record) {
        log.sent();
        var unused =
                producer.send(
                        record,
                        (where, e) -> {
                            if (e == null) {
                                log.acknowledged(where.topic(), where.partition(), where.offset());
                            } else {
                                log.undetermined(e);
                            }
                        });
    }

    private static long millisSince(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanos);
    }

    /** Sends nothing more, and waits until all is acknowledged. */
    public void end() throws IOException, InterruptedException {
        ended = true;
        thread.join(TO_END.toMillis());
        if (thread.isAlive()) {
            throw new IOException("the generator could not send what it had within " + TO_END);
        }
        requireAlive();
        log.close();
    }

    /** Fails if it has stopped by itself. */
    public void requireAlive() throws IOException {
        if (failure != null) {
            throw new IOException("the generator stopped: " + failure, failure);
        }
    }

    /** See {@link Script#wildTimes}. */
    public void wildTimes(long millis) {
        script.wildTimes(millis);
    }

    @Override
    public void close() {
        ended = true;
        producer.close(Duration.ZERO);
    }
}

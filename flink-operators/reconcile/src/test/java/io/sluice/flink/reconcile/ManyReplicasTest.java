/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.sluice.filter.Seeds;
import io.sluice.flink.Backends;
import io.sluice.flink.reconcile.message.Setup;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.graph.StreamNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** More than two replicas: each has an exchange with each other one. */
class ManyReplicasTest {

    private static final long WINDOW = 1000;
    private static final List<String> NAMES = List.of("east", "west", "south", "north");

    private final Map<List<String>, OperatorReplica> sides = new HashMap<>();

    private static ReconcileSettings settings(String replica, String peer) {
        return new ReconcileSettings(
                new Setup(WINDOW, 4, 2, 5),
                replica,
                peer,
                DifferenceMethod.RATELESS,
                1e-6,
                8,
                100_000,
                0,
                1000,
                65_536,
                1_000_000,
                4,
                100,
                Duration.ofHours(1).toMillis(),
                false);
    }

    /** What the exchange of a replica with a peer is. */
    private OperatorReplica side(String replica, String peer) {
        return sides.get(List.of(replica, peer));
    }

    private List<OperatorReplica> sidesOf(String replica) {
        return NAMES.stream()
                .filter(peer -> !peer.equals(replica))
                .map(peer -> side(replica, peer))
                .toList();
    }

    private void start() throws Exception {
        for (String replica : NAMES) {
            for (String peer : NAMES) {
                if (!peer.equals(replica)) {
                    OperatorReplica side =
                            new OperatorReplica(settings(replica, peer), Backends.HASHMAP);
                    side.distinct();
                    side.start(1);
                    sides.put(List.of(replica, peer), side);
                }
            }
        }
    }

    @AfterEach
    void close() throws Exception {
        for (OperatorReplica side : sides.values()) {
            side.close();
        }
    }

    /** Messages of a replica for another one, and nothing else, reach it. */
    private void exchange() throws Exception {
        for (String replica : NAMES) {
            for (String peer : NAMES) {
                if (!peer.equals(replica)) {
                    side(replica, peer).pass(1500);
                    side(peer, replica).receive(side(replica, peer).checkpoint());
                }
            }
        }
    }

    @Test
    void allEndWithTheUnionOfAllThoughOneIsRestartedOnTheWay() throws Exception {
        SplittableRandom random = new SplittableRandom(Seeds.seed(1));
        start();
        Map<String, Set<String>> seen = new HashMap<>();
        Set<String> union = new TreeSet<>();
        for (String replica : NAMES) {
            seen.put(replica, new TreeSet<>());
        }
        for (int id = 0; id < 200; id++) {
            for (String replica : NAMES) {
                for (int copies = random.nextInt(3); copies > 0; copies--) {
                    for (OperatorReplica side : sidesOf(replica)) {
                        side.record("id " + id, id);
                    }
                    seen.get(replica).add("id " + id);
                    union.add("id " + id);
                }
            }
        }
        for (OperatorReplica side : sides.values()) {
            side.watermark(2 * WINDOW);
        }
        exchange();
        for (OperatorReplica side : sidesOf("south")) {
            side.start(2);
        }
        for (int i = 0; i < 10; i++) {
            exchange();
        }
        for (String replica : NAMES) {
            assertThat(seen.get(replica)).as("before, at %s", replica).isNotEqualTo(union);
            Set<String> after = new TreeSet<>(seen.get(replica));
            for (OperatorReplica side : sidesOf(replica)) {
                after.addAll(side.repairs().getOrDefault(0L, Map.of()).keySet());
                assertThat(side.reports())
                        .isNotEmpty()
                        .allSatisfy(report -> assertThat(report.outcome()).isEqualTo("AGREED"));
            }
            assertThat(after).as("after, at %s", replica).isEqualTo(union);
        }
    }

    private static Reconcile<String, String> replica() {
        return Reconcile.by((String id) -> id).distinct().replica("east");
    }

    private static Map<String, Reconciled<String, String>> apply(
            StreamExecutionEnvironment env, Reconcile<String, String> reconcile, String... peers) {
        env.enableCheckpointing(1000);
        DataStream<String> records = env.fromData("a");
        Map<String, DataStream<byte[]>> fromPeers = new HashMap<>();
        for (String peer : peers) {
            fromPeers.put(
                    peer,
                    records.map(
                            String::getBytes,
                            PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO));
        }
        return reconcile.uid("ids").window(Duration.ofSeconds(1)).apply(records, fromPeers);
    }

    @Test
    void eachPeerHasOperatorsOfItsOwn() {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.createLocalEnvironment();
        Map<String, Reconciled<String, String>> byPeer = apply(env, replica(), "west", "south");
        assertThat(byPeer).containsOnlyKeys("west", "south");
        byPeer.values().forEach(with -> with.missed().print());
        List<String> uids = new ArrayList<>();
        for (StreamNode node : env.getStreamGraph().getStreamNodes()) {
            uids.add(Objects.toString(node.getTransformationUID()));
        }
        assertThat(uids)
                .contains("ids-west", "ids-west-messages", "ids-west-missed")
                .contains("ids-south", "ids-south-messages", "ids-south-missed");
    }

    @Test
    void peersThatCannotBeMeantAreRefused() {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.createLocalEnvironment();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> apply(env, replica()))
                .withMessageContaining("at least one peer");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> apply(env, replica().peer("north"), "west"))
                .withMessageContaining("'north'")
                .withMessageContaining("[west]");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> apply(env, replica(), "east"))
                .withMessageContaining("two names");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> apply(env, replica().multiplicity(id -> 2), "west"))
                .withMessageContaining("distinct is required");
    }
}

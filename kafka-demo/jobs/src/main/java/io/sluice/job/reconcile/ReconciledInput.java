/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.reconcile;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.sluice.flink.reconcile.Reconcile;
import io.sluice.job.format.JobInput;
import io.sluice.job.format.MessageInput;
import io.sluice.job.format.PacketInput;
import io.sluice.job.packet.Operation;
import io.sluice.message.IdJson;
import io.sluice.message.KafkaMessage;
import io.sluice.record.CounterKind;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;

/**
 * What two replicas compare: where records come from, what their elements are, and how these are
 * told.
 *
 * @param reconcile knows id and multiplicity of a record, and nothing else
 * @param <T> type of the records
 * @param <K> type of the ids of elements
 */
record ReconciledInput<T, K>(
        JobInput<T> input, Reconcile<T, K> reconcile, ElementText<K> elements) {

    /** Returns records of any kind, whose elements are their ids. */
    static ReconciledInput<KafkaMessage, String> ofMessages(ReconcileOptions options) {
        return new ReconciledInput<>(
                new MessageInput(options),
                Reconcile.by(KafkaMessage::id)
                        .idType(Types.STRING)
                        .multiplicity(KafkaMessage::copies),
                new Ids(new IdJson(options.messages.idFields())));
    }

    /** Returns packet records, whose elements are pairs of counter and operation. */
    static ReconciledInput<Operation, Tuple2<Long, Long>> ofPackets(ReconcileOptions options) {
        return new ReconciledInput<>(
                new PacketInput(options),
                Reconcile.by(
                                (Operation operation) ->
                                        Tuple2.of(operation.counter(), operation.operationId()))
                        .idType(Types.TUPLE(Types.LONG, Types.LONG)),
                new Operations(options.countBy()));
    }

    /** Ids as they were read: the key is {@link IdJson#bytes}, the field {@link IdJson#json}. */
    private record Ids(IdJson ids) implements ElementText<String> {
        @Override
        public byte[] key(String id) {
            return ids.bytes(id);
        }

        @Override
        public void append(String id, StringBuilder json) {
            json.append("\"id\":").append(ids.json(id));
        }
    }

    /** The key is the name of the counter, and the field the number of the operation. */
    private record Operations(CounterKind kind) implements ElementText<Tuple2<Long, Long>> {
        @Override
        public byte[] key(Tuple2<Long, Long> element) {
            return kind.format(element.f0).getBytes(US_ASCII);
        }

        @Override
        public void append(Tuple2<Long, Long> element, StringBuilder json) {
            json.append("\"operation\":").append(element.f1.longValue());
        }
    }
}

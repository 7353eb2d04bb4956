/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.kafka.commit;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.api.connector.sink2.Committer;
import org.apache.flink.connector.kafka.sink.KafkaCommittable;
import org.apache.flink.util.ExceptionUtils;
import org.apache.kafka.common.errors.InvalidPidMappingException;

/**
 * A committer that does not go on when a transaction cannot be committed: the one of the connector
 * logs that, counts it, and forgets the records.
 */
// Flink closes a committer as its interface says.
@SuppressWarnings("try")
final class CheckedCommitter<T> implements Committer<Committable> {
    private final Committer<KafkaCommittable> committer;
    private final @Nullable LostCommits<T> lostCommits;

    /**
     * @param lostCommits null if there are no transactions
     */
    CheckedCommitter(Committer<KafkaCommittable> committer, @Nullable LostCommits<T> lostCommits) {
        this.committer = committer;
        this.lostCommits = lostCommits;
    }

    @Override
    public void commit(Collection<CommitRequest<Committable>> requests)
            throws IOException, InterruptedException {
        List<Committable> refused = new ArrayList<>();
        List<CommitRequest<KafkaCommittable>> transactions = new ArrayList<>();
        for (CommitRequest<Committable> request : requests) {
            transactions.add(new Request(request, refused));
        }
        committer.commit(transactions);
        for (Committable committable : refused) {
            try {
                lostCommits.settle(committable);
            } catch (Exception e) {
                ExceptionUtils.rethrow(e);
            }
        }
    }

    @Override
    public void close() throws Exception {
        committer.close();
    }

    /** Notes that the broker refuses the commit. */
    private record Request(CommitRequest<Committable> request, List<Committable> refused)
            implements CommitRequest<KafkaCommittable> {

        @Override
        public KafkaCommittable getCommittable() {
            return request.getCommittable().transaction();
        }

        @Override
        public int getNumberOfRetries() {
            return request.getNumberOfRetries();
        }

        @Override
        public void signalFailedWithKnownReason(Throwable reason) {
            refused.add(request.getCommittable());
        }

        @Override
        public void signalFailedWithUnknownReason(Throwable reason) {
            // The broker has forgotten the name: asked again, it would say the same.
            if (reason instanceof InvalidPidMappingException) {
                refused.add(request.getCommittable());
            } else {
                request.signalFailedWithUnknownReason(reason);
            }
        }

        @Override
        public void retryLater() {
            request.retryLater();
        }

        @Override
        public void updateAndRetryLater(KafkaCommittable transaction) {
            request.updateAndRetryLater(
                    new Committable(transaction, request.getCommittable().origins()));
        }

        @Override
        public void signalAlreadyCommitted() {
            request.signalAlreadyCommitted();
        }
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.kafka.commit;

import io.sluice.kafka.BrokerProblem;
import io.sluice.kafka.Brokers;
import io.sluice.kafka.TopicSchema;
import io.sluice.kafka.commit.Rewriter.MissingRecordsException;
import java.io.IOException;
import java.io.Serializable;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import javax.annotation.Nullable;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.TransactionalIdNotFoundException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides about transactions that could not be committed. A broker aborts one that is open for
 * longer than its timeout, as when a job ends between a checkpoint and its commit and is away for
 * long; the checkpoint says all the same that the records were written.
 *
 * <p>A transaction belongs to one checkpoint and one subtask, and the broker remembers the outcome
 * under its name. Nothing begins a name anew after the broker has aborted it, except a job that
 * starts from an older checkpoint, which reads and writes the records itself; after a commit, the
 * client may do so. Records are written once more in a transaction with a name of its own, whose
 * outcome says after another restore that they are there.
 *
 * @param <T> type of the written values
 */
public final class LostCommits<T> implements Serializable {
    private static final long serialVersionUID = 1L;

    /** The option of a job that says what happens. */
    public static final String OPTION = "--on-lost-commit";

    private static final Logger LOG = LoggerFactory.getLogger(LostCommits.class);

    /** Ends the name of a transaction with the same records as the one before. */
    private static final String AGAIN = "-again";

    private final OnLostCommit action;
    private final Brokers brokers;
    private final TopicSchema<T> schema;
    private final @Nullable Rewriter<T> rewriter;

    /**
     * @param brokers that the job writes to
     * @param rewriter null if values are computed from more than one record, so that they cannot be
     *     made again
     */
    public LostCommits(
            OnLostCommit action,
            Brokers brokers,
            TopicSchema<T> schema,
            @Nullable Rewriter<T> rewriter) {
        this.action = action;
        this.brokers = brokers;
        this.schema = schema;
        this.rewriter = rewriter;
    }

    @Nullable
    Provenance<T> provenance() {
        return rewriter == null ? null : rewriter.provenance();
    }

    /**
     * Makes sure that the records of a transaction that the broker refuses to commit are written,
     * or that the user has chosen to go on without them.
     *
     * @throws SuppressRestartsException if neither holds
     * @throws IOException if the broker does not answer
     */
    void settle(Committable committable) throws Exception {
        String name = committable.transaction().getTransactionalId();
        Outcome outcome = outcome(name);
        if (outcome == Outcome.COMMITTED || outcome(name + AGAIN) == Outcome.COMMITTED) {
            return;
        }
        if (outcome == Outcome.BEGUN_ANEW) {
            LOG.info("Transaction '{}' was begun anew, so it had been committed before", name);
            return;
        }
        String problem =
                outcome == Outcome.ABORTED
                        ? "Kafka has aborted"
                        : "the Kafka broker at "
                                + brokers
                                + " does not know, or not any more, whether it has committed";
        if (action == OnLostCommit.IGNORE) {
            LOG.warn("{}; it goes on without them", text(committable, problem));
        } else if (action == OnLostCommit.FAIL || outcome != Outcome.ABORTED) {
            throw refusal(committable, problem, remedy(outcome));
        } else if (rewriter == null || !committable.origins().isComplete()) {
            throw refusal(
                    committable,
                    problem,
                    "they are results of many records, so they cannot be read again: "
                            + remedy(Outcome.FORGOTTEN));
        } else {
            LOG.warn("{}; they are read and written once more", text(committable, problem));
            try {
                rewriter.write(name + AGAIN, committable.origins());
            } catch (MissingRecordsException e) {
                throw refusal(
                        committable, problem, e.getMessage() + ": " + remedy(Outcome.FORGOTTEN));
            }
        }
    }

    private String remedy(Outcome outcome) {
        return (outcome == Outcome.ABORTED && rewriter != null
                        ? "say "
                                + OPTION
                                + " "
                                + OnLostCommit.REREAD.name().toLowerCase(Locale.ROOT)
                                + " to write them once more, or "
                        : "restore an earlier checkpoint, or say " + OPTION + " ")
                + OnLostCommit.IGNORE.name().toLowerCase(Locale.ROOT)
                + " to go on without them; and raise --transaction-timeout";
    }

    private String text(Committable committable, String problem) {
        return "checkpoint "
                + committable.checkpoint()
                + " says that "
                + committable.origins()
                + " were written to topic '"
                + schema.topic
                + "', but "
                + problem
                + " their transaction '"
                + committable.transaction().getTransactionalId()
                + "'";
    }

    private SuppressRestartsException refusal(
            Committable committable, String problem, String remedy) {
        // Asked again, the broker would say the same.
        return new SuppressRestartsException(
                new IllegalStateException(text(committable, problem) + ": " + remedy));
    }

    private enum Outcome {
        COMMITTED,
        ABORTED,
        BEGUN_ANEW,
        FORGOTTEN
    }

    private Outcome outcome(String transactionalId) throws IOException {
        try (Admin admin = brokers.admin(Brokers.TIMEOUT)) {
            TransactionState state =
                    admin.describeTransactions(List.of(transactionalId))
                            .description(transactionalId)
                            .get()
                            .state();
            return switch (state) {
                case PREPARE_COMMIT, COMPLETE_COMMIT -> Outcome.COMMITTED;
                case PREPARE_ABORT, COMPLETE_ABORT, PREPARE_EPOCH_FENCE -> Outcome.ABORTED;
                case ONGOING, EMPTY -> Outcome.BEGUN_ANEW;
                case UNKNOWN -> Outcome.FORGOTTEN;
            };
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while asking for a transaction", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof TransactionalIdNotFoundException) {
                return Outcome.FORGOTTEN;
            }
            throw new IOException(BrokerProblem.describe(brokers, e), BrokerProblem.cause(e));
        } catch (KafkaException e) {
            throw new IOException(BrokerProblem.describe(brokers, e), BrokerProblem.cause(e));
        }
    }
}

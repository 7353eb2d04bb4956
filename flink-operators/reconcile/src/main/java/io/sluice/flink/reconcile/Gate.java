/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.reconcile;

import io.sluice.filter.format.CorruptFilterException;
import io.sluice.filter.format.UnsupportedFormatException;
import io.sluice.flink.reconcile.message.Message;
import io.sluice.flink.reconcile.message.MessageFormat;
import java.io.IOException;
import java.io.Serializable;
import java.util.Set;
import java.util.function.BiConsumer;
import javax.annotation.Nullable;

/**
 * Lets in messages that are undamaged, have a known format, and come from a peer with the same
 * setup.
 */
final class Gate implements Serializable {

    /** The reasons to refuse a message here; exchanges have other reasons. */
    static final Set<Refusal> REASONS =
            Set.of(
                    Refusal.DAMAGED,
                    Refusal.VERSION,
                    Refusal.FOREIGN,
                    Refusal.OWN,
                    Refusal.STRANGER);

    private final ReconcileSettings settings;

    Gate(ReconcileSettings settings) {
        this.settings = settings;
    }

    /**
     * The message in {@code bytes}, or null.
     *
     * @param refused gets the reason and its description if the message is refused
     */
    @Nullable
    Message admit(@Nullable byte[] bytes, BiConsumer<Refusal, String> refused) {
        if (bytes == null) {
            refused.accept(Refusal.DAMAGED, "a record without a value");
            return null;
        }
        Message message;
        try {
            message = MessageFormat.read(bytes, "a message of the peer");
        } catch (UnsupportedFormatException e) {
            refused.accept(Refusal.VERSION, e.getMessage());
            return null;
        } catch (CorruptFilterException e) {
            refused.accept(Refusal.DAMAGED, e.getMessage());
            return null;
        } catch (IOException e) {
            throw new AssertionError("an array can always be read", e);
        }
        if (message.head().replica() == settings.replicaHash()) {
            refused.accept(
                    Refusal.OWN,
                    "a message of replica '"
                            + settings.replica()
                            + "', which is this one: read the peer's topics, and name the replicas"
                            + " differently");
            return null;
        }
        if (message.head().replica() != settings.peerHash()
                || message.head().peer() != settings.replicaHash()) {
            refused.accept(
                    Refusal.STRANGER,
                    "a message from or for another replica than '"
                            + settings.peer()
                            + "' and '"
                            + settings.replica()
                            + "': two replicas repair each other, each with the other's name as"
                            + " peer, and read no third one's topics");
            return null;
        }
        if (!message.head().setup().equals(settings.setup())) {
            refused.accept(
                    Refusal.FOREIGN,
                    "the peer has "
                            + message.head().setup()
                            + ", this replica "
                            + settings.setup()
                            + ": configure both alike");
            return null;
        }
        return message;
    }
}

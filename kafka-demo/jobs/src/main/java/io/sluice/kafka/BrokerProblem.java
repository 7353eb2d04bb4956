/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.kafka;

import java.util.concurrent.ExecutionException;
import javax.annotation.Nullable;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.SslAuthenticationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnsupportedSaslMechanismException;

/** Says in one line what is wrong between a client and its broker, and what to change. */
public final class BrokerProblem {
    private static final String JAAS_PARSER = "org.apache.kafka.common.security.JaasConfig";

    private BrokerProblem() {}

    /**
     * The line for a failure of Kafka's admin client.
     *
     * @param failure a call's {@link ExecutionException}, or what {@link Brokers#admin} threw
     */
    public static String describe(Brokers brokers, Exception failure) {
        Throwable cause =
                failure instanceof ExecutionException && failure.getCause() != null
                        ? failure.getCause()
                        : failure;
        String servers = brokers.servers();
        String config = brokers.commandConfig();
        if (cause instanceof TimeoutException) {
            return "no Kafka broker answers at "
                    + servers
                    + ": start it, or correct "
                    + brokers.option(BrokerOptions.BOOTSTRAP_SERVERS)
                    + "; if it speaks TLS or SASL, set security.protocol in "
                    + config;
        }
        if (cause instanceof SslAuthenticationException) {
            return "no TLS connection to the Kafka broker at "
                    + servers
                    + " ("
                    + root(cause)
                    + "): correct ssl.truststore.location, ssl.keystore.location or the host's name"
                    + " in "
                    + config;
        }
        if (cause instanceof SaslAuthenticationException
                || cause instanceof UnsupportedSaslMechanismException) {
            return "the Kafka broker at "
                    + servers
                    + " refuses the login ("
                    + cause.getMessage()
                    + "): correct sasl.mechanism, or user and password in sasl.jaas.config, in "
                    + config;
        }
        if (cause instanceof AuthorizationException) {
            return "the Kafka broker at "
                    + servers
                    + " does not allow this to the user ("
                    + cause.getMessage()
                    + "): add the ACL, or use another login in "
                    + config;
        }
        if (isOfJaas(failure)) {
            return "no Kafka client can be made for "
                    + servers
                    + " (sasl.jaas.config is malformed): correct its quotes, and the semicolon at"
                    + " its end, in "
                    + config;
        }
        if (failure instanceof KafkaException) {
            return "no Kafka client can be made for "
                    + servers
                    + " ("
                    + root(cause)
                    + "): correct "
                    + brokers.option(BrokerOptions.BOOTSTRAP_SERVERS)
                    + ", "
                    + config
                    + " or "
                    + brokers.option(BrokerOptions.KAFKA_PROPERTY);
        }
        return "the Kafka broker at " + servers + " refused: " + cause.getMessage();
    }

    /**
     * The failure as the cause of an exception that is logged; null if it may quote a password.
     *
     * @param failure as in {@link #describe}
     */
    @Nullable
    public static Exception cause(Exception failure) {
        return isOfJaas(failure) ? null : failure;
    }

    /** Kafka's parser of login settings quotes what it does not understand. */
    private static boolean isOfJaas(Throwable thrown) {
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            for (StackTraceElement frame : cause.getStackTrace()) {
                if (frame.getClassName().equals(JAAS_PARSER)) {
                    return true;
                }
            }
        }
        return false;
    }

    private static String root(Throwable thrown) {
        Throwable root = thrown;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root.getMessage() == null ? root.toString() : root.getMessage();
    }
}

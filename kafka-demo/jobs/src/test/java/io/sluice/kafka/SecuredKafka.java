/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.kafka;

import io.sluice.flink.testkit.local.EmbeddedKafka;
import io.sluice.flink.testkit.process.Ports;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;

/**
 * A broker whose clients need TLS, a SCRAM login and ACLs; the users are {@link #USER}, who has no
 * right of its own, and {@link #ADMIN}, who has all.
 */
public final class SecuredKafka implements AutoCloseable {
    public static final String USER = "alice";
    public static final String ADMIN = "root";

    private static final String STORE_PASSWORD = "storesecret";
    private static final int KEYTOOL_SECONDS = 60;

    /** Kafka's module for tokens; without an issuer it makes and takes unsigned ones. */
    private static final String OAUTH_MODULE =
            "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule";

    private final Path folder;
    private final EmbeddedKafka kafka;
    private final int internalPort;

    private SecuredKafka(Path folder, EmbeddedKafka kafka, int internalPort) {
        this.folder = folder;
        this.kafka = kafka;
        this.internalPort = internalPort;
    }

    /** Makes certificates in {@code folder}, and starts a broker there. */
    public static SecuredKafka start(Path folder) throws IOException {
        Path keys = certificate(folder, "broker");
        var unused = certificate(folder, "foreign");
        int internalPort = Ports.free(1)[0];
        EmbeddedKafka kafka =
                EmbeddedKafka.start(
                        folder,
                        EmbeddedKafka.ANY_PORT,
                        settings -> secured(settings, keys, internalPort),
                        List.of(
                                "SCRAM-SHA-512=[name=" + USER + ",password=" + password(USER) + "]",
                                "SCRAM-SHA-512=[name="
                                        + ADMIN
                                        + ",password="
                                        + password(ADMIN)
                                        + "]"));
        return new SecuredKafka(folder, kafka, internalPort);
    }

    public static String password(String user) {
        return user + "-secret-of-scram";
    }

    private static Map<String, String> secured(
            Map<String, String> plain, Path keys, int internalPort) {
        Map<String, String> settings = new HashMap<>(plain);
        settings.computeIfPresent(
                "listeners",
                (name, value) ->
                        value.replace("PLAINTEXT://", "SASL_SSL://")
                                + ",INTERNAL://127.0.0.1:"
                                + internalPort);
        settings.computeIfPresent(
                "advertised.listeners",
                (name, value) ->
                        value.replace("PLAINTEXT://", "SASL_SSL://")
                                + ",INTERNAL://127.0.0.1:"
                                + internalPort);
        settings.put(
                "listener.security.protocol.map",
                "SASL_SSL:SASL_SSL,INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT");
        settings.put("inter.broker.listener.name", "INTERNAL");
        settings.put("sasl.enabled.mechanisms", "SCRAM-SHA-512,OAUTHBEARER");
        settings.put(
                "listener.name.sasl_ssl.oauthbearer.sasl.jaas.config",
                OAUTH_MODULE + " required unsecuredLoginStringClaim_sub=\"broker\";");
        settings.put(
                "listener.name.sasl_ssl.scram-sha-512.sasl.jaas.config",
                "org.apache.kafka.common.security.scram.ScramLoginModule required;");
        settings.put("ssl.keystore.type", "PKCS12");
        settings.put("ssl.keystore.location", keys.toString());
        settings.put("ssl.keystore.password", STORE_PASSWORD);
        settings.put("ssl.key.password", STORE_PASSWORD);
        settings.put(
                "authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer");
        settings.put("super.users", "User:ANONYMOUS;User:" + ADMIN);
        return settings;
    }

    private static Path certificate(Path folder, String name) throws IOException {
        Path store = folder.resolve(name + ".p12");
        Process keytool =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "keytool")
                                        .toString(),
                                "-genkeypair",
                                "-keyalg",
                                "RSA",
                                "-keysize",
                                "2048",
                                "-validity",
                                "2",
                                "-alias",
                                name,
                                "-dname",
                                "CN=" + name,
                                "-ext",
                                "san=ip:127.0.0.1",
                                "-storetype",
                                "PKCS12",
                                "-keystore",
                                store.toString(),
                                "-storepass",
                                STORE_PASSWORD)
                        .redirectErrorStream(true)
                        .redirectOutput(folder.resolve(name + ".keytool").toFile())
                        .start();
        try {
            if (!keytool.waitFor(KEYTOOL_SECONDS, TimeUnit.SECONDS) || keytool.exitValue() != 0) {
                throw new IOException(
                        "keytool: " + Files.readString(folder.resolve(name + ".keytool")));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
        return store;
    }

    public String servers() {
        return kafka.bootstrapServers();
    }

    /**
     * A file for {@code --command-config}.
     *
     * @param trusted whose certificate the client trusts: {@code broker}, or {@code foreign}
     */
    public Path clientConfig(String user, String password, String trusted) throws IOException {
        return written(
                "SCRAM-SHA-512",
                "org.apache.kafka.common.security.scram.ScramLoginModule required username=\""
                        + user
                        + "\" password=\""
                        + password
                        + "\";",
                trusted);
    }

    /** A file for {@code --command-config} of a client that logs in with a token. */
    public Path tokenConfig(String user) throws IOException {
        return written(
                "OAUTHBEARER",
                OAUTH_MODULE + " required unsecuredLoginStringClaim_sub=\"" + user + "\";",
                "broker");
    }

    private Path written(String mechanism, String login, String trusted) throws IOException {
        Path file = Files.createTempFile(folder, "client-", ".properties");
        Files.write(
                file,
                List.of(
                        "security.protocol=SASL_SSL",
                        "sasl.mechanism=" + mechanism,
                        "sasl.jaas.config=" + login,
                        "ssl.truststore.type=PKCS12",
                        "ssl.truststore.location=" + folder.resolve(trusted + ".p12"),
                        "ssl.truststore.password=" + STORE_PASSWORD));
        return file;
    }

    /** All rights, without TLS. */
    public Brokers internal() {
        return Brokers.at("127.0.0.1:" + internalPort);
    }

    /** All rights, without TLS. */
    public Admin admin() {
        return Admin.create(
                Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, internal().servers()));
    }

    @Override
    public void close() throws IOException {
        kafka.close();
    }
}

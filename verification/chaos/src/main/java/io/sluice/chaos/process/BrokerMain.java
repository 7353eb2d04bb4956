/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.process;

import io.sluice.flink.testkit.local.EmbeddedKafka;
import java.io.IOException;
import java.nio.file.Path;

/** A broker that goes on with its data when it is started again. */
public final class BrokerMain {
    static final String READY = "The broker takes connections";
    private static final int FAILED = 3;

    private BrokerMain() {}

    /** The arguments are the folder of the data, the port, and the port that clients are told. */
    public static void main(String[] arguments) throws IOException {
        EmbeddedKafka kafka =
                EmbeddedKafka.open(
                        Path.of(arguments[0]),
                        Integer.parseInt(arguments[1]),
                        Integer.parseInt(arguments[2]));
        System.out.println(READY);
        Throwable cause = kafka.failed().join();
        System.out.println("The broker stopped: " + cause);
        Runtime.getRuntime().halt(FAILED);
    }
}

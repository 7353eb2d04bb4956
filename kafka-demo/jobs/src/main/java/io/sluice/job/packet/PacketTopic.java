/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.packet;

import io.sluice.job.JobArguments;
import picocli.CommandLine.Option;

/** The option that names the topic of packet records. */
public final class PacketTopic {
    @Option(
            names = JobArguments.INPUT_TOPIC,
            defaultValue = "packets",
            paramLabel = "TOPIC",
            description = "Packet records to read. Default: ${DEFAULT-VALUE}.")
    public String name;
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.ha;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.UUID;
import org.apache.flink.runtime.leaderelection.LeaderInformation;

/** A file that says who leads one component: session and address. */
record LeaderFile(Path path) {

    static LeaderFile of(Path folder, String component) {
        return new LeaderFile(folder.resolve(component));
    }

    void write(LeaderInformation leader) throws IOException {
        WholeFile.write(
                path,
                (leader.getLeaderSessionID() + " " + leader.getLeaderAddress())
                        .getBytes(StandardCharsets.UTF_8));
    }

    LeaderInformation read() throws IOException {
        try {
            String[] words = Files.readString(path).split(" ", 2);
            return LeaderInformation.known(UUID.fromString(words[0]), words[1]);
        } catch (NoSuchFileException e) {
            return LeaderInformation.empty();
        }
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.ha;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import org.apache.flink.runtime.leaderelection.LeaderElectionDriver;
import org.apache.flink.runtime.leaderelection.LeaderInformation;

/** The only candidate leads, with a new session; the last one to write a file is believed. */
final class FileLeaderElection implements LeaderElectionDriver {
    private final Path folder;
    private final Listener listener;

    FileLeaderElection(Path folder, Listener listener) {
        this.folder = folder;
        this.listener = listener;
        listener.onGrantLeadership(UUID.randomUUID());
    }

    @Override
    public boolean hasLeadership() {
        return true;
    }

    @Override
    public void publishLeaderInformation(String component, LeaderInformation leader) {
        try {
            LeaderFile.of(folder, component).write(leader);
        } catch (IOException e) {
            listener.onError(e);
        }
    }

    @Override
    public void deleteLeaderInformation(String component) {
        try {
            Files.deleteIfExists(LeaderFile.of(folder, component).path());
        } catch (IOException e) {
            listener.onError(e);
        }
    }

    @Override
    public void close() {}
}

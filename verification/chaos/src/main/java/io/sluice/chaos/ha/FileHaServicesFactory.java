/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.ha;

import java.nio.file.Path;
import java.util.concurrent.Executor;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.HighAvailabilityOptions;
import org.apache.flink.runtime.highavailability.HighAvailabilityServices;
import org.apache.flink.runtime.highavailability.HighAvailabilityServicesFactory;

/** What {@code high-availability.type} names. */
public final class FileHaServicesFactory implements HighAvailabilityServicesFactory {
    @Override
    public HighAvailabilityServices createHAServices(Configuration configuration, Executor executor)
            throws Exception {
        Path storage =
                Path.of(
                        java.net.URI.create(
                                configuration.get(HighAvailabilityOptions.HA_STORAGE_PATH)));
        return new FileHaServices(storage.resolve("files"), configuration, executor);
    }
}

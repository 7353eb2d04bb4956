/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.chaos.disk;

import java.net.URI;
import java.nio.file.Path;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.FileSystemFactory;

/** Makes the file system for {@code chaos:///some/local/path}. */
public final class ChaosFileSystemFactory implements FileSystemFactory {
    static final String SCHEME = "chaos";

    /** System property that names the file with the {@link DiskState}. */
    static final String CONTROL = "sluice.chaos.disk";

    @Override
    public String getScheme() {
        return SCHEME;
    }

    @Override
    public FileSystem create(URI uri) {
        String control = System.getProperty(CONTROL);
        if (control == null) {
            throw new IllegalStateException("the property " + CONTROL + " names no file");
        }
        return new ChaosFileSystem(new Disk(Path.of(control)));
    }
}

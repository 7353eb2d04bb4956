/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.cli;

import picocli.CommandLine.IVersionProvider;

/** The version of the jar; a checkout that runs from class files has none. */
final class SluiceVersion implements IVersionProvider {
    @Override
    public String[] getVersion() {
        String version = Sluice.class.getPackage().getImplementationVersion();
        return new String[] {"sluice " + (version == null ? "(from a checkout)" : version)};
    }
}

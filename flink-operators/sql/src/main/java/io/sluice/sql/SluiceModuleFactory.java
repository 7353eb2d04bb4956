/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.sql;

import java.util.Set;
import org.apache.flink.annotation.Internal;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.table.factories.FactoryUtil;
import org.apache.flink.table.factories.ModuleFactory;
import org.apache.flink.table.module.Module;

/** Makes {@code LOAD MODULE sluice} work. Found by its name in {@code META-INF/services}. */
@Internal
public final class SluiceModuleFactory implements ModuleFactory {

    @Override
    public String factoryIdentifier() {
        return SluiceModule.NAME;
    }

    @Override
    public Set<ConfigOption<?>> requiredOptions() {
        return Set.of();
    }

    @Override
    public Set<ConfigOption<?>> optionalOptions() {
        return Set.of();
    }

    @Override
    public Module createModule(Context context) {
        FactoryUtil.createModuleFactoryHelper(this, context).validate();
        return new SluiceModule();
    }
}

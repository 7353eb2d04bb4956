/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.sql;

import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.flink.annotation.PublicEvolving;
import org.apache.flink.table.functions.FunctionDefinition;
import org.apache.flink.table.module.Module;

/**
 * The SQL functions of Sluice: {@code LOAD MODULE sluice} in SQL, or
 *
 * <pre>{@code
 * tableEnvironment.loadModule(SluiceModule.NAME, new SluiceModule());
 * }</pre>
 *
 * <p>Flink resolves a name in the modules in the order of {@code USE MODULES}, so a release of
 * Flink that has a function of the same name uses its own unless {@code sluice} comes first.
 */
@PublicEvolving
public final class SluiceModule implements Module {

    /** The name for {@code LOAD MODULE}. */
    public static final String NAME = "sluice";

    private static final Map<String, FunctionDefinition> FUNCTIONS =
            Map.of(
                    DeduplicateDefinition.NAME, new DeduplicateDefinition(),
                    KeepFirstDefinition.NAME, new KeepFirstDefinition(),
                    DeduplicateWindowDefinition.NAME, new DeduplicateWindowDefinition(),
                    StateMachineDefinition.NAME, new StateMachineDefinition());

    @Override
    public Set<String> listFunctions() {
        return FUNCTIONS.keySet();
    }

    @Override
    public Optional<FunctionDefinition> getFunctionDefinition(String name) {
        return Optional.ofNullable(FUNCTIONS.get(name.toUpperCase(Locale.ROOT)));
    }
}

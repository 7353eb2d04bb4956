/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.sql;

import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.DataTypeFactory;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.functions.FunctionDefinition;
import org.apache.flink.table.functions.FunctionKind;
import org.apache.flink.table.functions.FunctionRequirement;
import org.apache.flink.table.functions.SpecializedFunction;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.inference.ArgumentCount;
import org.apache.flink.table.types.inference.CallContext;
import org.apache.flink.table.types.inference.ConstantArgumentCount;
import org.apache.flink.table.types.inference.InputTypeStrategy;
import org.apache.flink.table.types.inference.Signature;
import org.apache.flink.table.types.inference.StaticArgument;
import org.apache.flink.table.types.inference.StaticArgumentTrait;
import org.apache.flink.table.types.inference.TypeInference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the planner knows of a function: its arguments, which it checks, and its columns. For a call
 * it is {@linkplain #specialize specialized} to a function that has just the state of this call.
 */
abstract class Definition implements SpecializedFunction {

    private static final Logger LOG = LoggerFactory.getLogger(Definition.class);

    private final String name;
    private final List<StaticArgument> arguments;

    Definition(String name, List<StaticArgument> arguments) {
        this.name = name;
        this.arguments = arguments;
    }

    /** Reads all arguments of a call, and so checks them. */
    abstract void check(Arguments call);

    /** Returns the columns that a call returns, besides the keys: those of its input. */
    DataType output(Arguments call) {
        return call.input().row();
    }

    final Arguments arguments(CallContext call) {
        return new Arguments(name, arguments, call);
    }

    static StaticArgument input(StaticArgumentTrait... more) {
        EnumSet<StaticArgumentTrait> traits =
                EnumSet.of(StaticArgumentTrait.TABLE, StaticArgumentTrait.SET_SEMANTIC_TABLE);
        traits.addAll(List.of(more));
        return StaticArgument.table(Arguments.INPUT, RowData.class, false, traits);
    }

    @Override
    public final FunctionKind getKind() {
        return FunctionKind.PROCESS_TABLE;
    }

    @Override
    public final Set<FunctionRequirement> getRequirements() {
        return Set.of();
    }

    @Override
    public final TypeInference getTypeInference(DataTypeFactory types) {
        return TypeInference.newBuilder()
                .staticArguments(arguments)
                .inputTypeStrategy(new CheckedArguments())
                .outputTypeStrategy(call -> Optional.of(output(arguments(call))))
                .build();
    }

    @Override
    public final String toString() {
        return name;
    }

    /** Leaves types to the static arguments, and checks values. */
    private final class CheckedArguments implements InputTypeStrategy {

        @Override
        public ArgumentCount getArgumentCount() {
            return ConstantArgumentCount.any();
        }

        @Override
        public Optional<List<DataType>> inferInputTypes(CallContext call, boolean throwOnFailure) {
            try {
                Arguments read = arguments(call);
                check(read);
                if (throwOnFailure) {
                    LOG.info(
                            "{} knows the arguments {}. Flink leaves out any other one of a call"
                                    + " without a word, before the function is asked.",
                            name,
                            String.join(", ", read.known()));
                }
            } catch (ValidationException e) {
                if (throwOnFailure) {
                    throw e;
                }
                return Optional.empty();
            }
            return Optional.of(call.getArgumentDataTypes());
        }

        @Override
        public List<Signature> getExpectedSignatures(FunctionDefinition definition) {
            return List.of(Signature.of());
        }
    }
}

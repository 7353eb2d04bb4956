/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.attack;

import io.sluice.flink.runtime.ColumnsTypeInfo;
import io.sluice.flink.runtime.OpaqueTypeInfo;
import java.lang.reflect.Type;
import java.util.Map;
import org.apache.flink.annotation.Experimental;
import org.apache.flink.api.common.typeinfo.TypeInfoFactory;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;

/** Flink's types of what the operators emit. */
@Experimental
public final class AttackTypes {

    public static final TypeInformation<AttackAlert> ATTACK_ALERT =
            ColumnsTypeInfo.of(AttackAlert.class, AttackAlertSerializer.INSTANCE)
                    .column("kind", Types.STRING)
                    .column("raised", Types.BOOLEAN)
                    .column("address", Types.STRING)
                    .column("port", Types.INT)
                    .column("attempts", Types.LONG)
                    .column("completed", Types.LONG)
                    .column("refused", Types.LONG)
                    .column("targets", Types.LONG)
                    .column("firstMillis", Types.LONG)
                    .column("millis", Types.LONG)
                    .build();

    /** Between the operators. */
    static final TypeInformation<Tally> TALLY =
            new OpaqueTypeInfo<>(Tally.class, TallySerializer.INSTANCE);

    private AttackTypes() {}

    /** Lets Flink find the type wherever it looks for one. */
    public static final class OfAttackAlert extends TypeInfoFactory<AttackAlert> {
        @Override
        public TypeInformation<AttackAlert> createTypeInfo(
                Type type, Map<String, TypeInformation<?>> genericParameters) {
            return ATTACK_ALERT;
        }
    }
}

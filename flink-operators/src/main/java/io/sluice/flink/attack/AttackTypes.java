/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.attack;

import io.sluice.flink.OpaqueTypeInfo;
import java.lang.reflect.Type;
import java.util.Map;
import org.apache.flink.api.common.typeinfo.TypeInfoFactory;
import org.apache.flink.api.common.typeinfo.TypeInformation;

/** Flink's type of what the operators emit. */
public final class AttackTypes {

    public static final TypeInformation<AttackAlert> ATTACK_ALERT =
            new OpaqueTypeInfo<>(AttackAlert.class, AttackAlertSerializer.INSTANCE);

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

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.job.dedup;

import org.apache.flink.connector.base.DeliveryGuarantee;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads how often a record is written, as options write it. */
final class DeliveryConverter implements ITypeConverter<DeliveryGuarantee> {
    @Override
    public DeliveryGuarantee convert(String text) {
        for (DeliveryGuarantee guarantee : DeliveryGuarantee.values()) {
            if (guarantee != DeliveryGuarantee.NONE
                    && guarantee.toString().equalsIgnoreCase(text)) {
                return guarantee;
            }
        }
        throw new TypeConversionException(
                "'" + text + "' is not a guarantee: write exactly-once or at-least-once");
    }
}

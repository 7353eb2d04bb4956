/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The quotient filter alone: speed at two loads beside its peers, speed over load, merge and
 * serialization, and agreement with reference tables about clusters and errors.
 *
 * <p>Reading order: {@link io.sluice.bench.qf.QfCommand}, {@code QuotientRates}, {@code LoadCurve},
 * {@code BulkRates}, {@code ClusterPicture} and {@code ClusterAgreement}, {@code ErrorAgreement}.
 */
package io.sluice.bench.qf;

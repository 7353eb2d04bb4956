/* SPDX-License-Identifier: Apache-2.0 */
/** The quotient filter as a contender: {@link io.sluice.bench.qf.QuotientStructure}. */
package io.sluice.bench.qf;

/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Measures the error of a filter in production. {@link io.sluice.filter.sample.IdSample} keeps a
 * fraction of all ids exactly, and compares what the filter says about them with what it knows.
 * {@link io.sluice.filter.sample.StoredSample} is its persistent form.
 */
package io.sluice.filter.sample;

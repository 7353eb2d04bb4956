/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Two multisets that are made equal ({@link io.sluice.bench.ccf.MultisetPair}, {@link
 * io.sluice.bench.ccf.SyncOutcome}), and the counting cuckoo filter as a contender ({@link
 * io.sluice.bench.ccf.CuckooStructure}).
 */
package io.sluice.bench.ccf;

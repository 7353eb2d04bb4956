/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Structures by others, to compare with ours: Bloom filters of fastfilter, Guava and DataSketches,
 * the cuckoo filters of fastfilter, fastutil's exact set, and the age-partitioned Bloom filter of
 * its paper. Each is used as its own documentation says.
 */
package io.sluice.bench.peer;

/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The forgetful Bloom filter (Subramanyam, Gupta, Leslie, Wang): {@link
 * io.sluice.papers.fbf.ForgetfulBloomFilter} is the structure with Algorithms 1 and 2, {@code
 * AdaptiveForgetfulFilter} and {@code ResizePolicy} Algorithm 3, {@link
 * io.sluice.papers.fbf.ForgetfulModel} the formulas; the rest are figures.
 */
package io.sluice.papers.fbf;

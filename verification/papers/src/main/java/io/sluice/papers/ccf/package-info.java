/* SPDX-License-Identifier: Apache-2.0 */
/** The figures of the counting cuckoo filter (Li, Luo, Guo, Zhao), over the library's own. */
package io.sluice.papers.ccf;

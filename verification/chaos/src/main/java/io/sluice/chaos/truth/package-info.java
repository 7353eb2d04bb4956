/* SPDX-License-Identifier: Apache-2.0 */
/** What is sent, by seed, and the log of what a broker has acknowledged. */
package io.sluice.chaos.truth;

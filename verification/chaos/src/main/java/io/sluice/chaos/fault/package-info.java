/* SPDX-License-Identifier: Apache-2.0 */
/**
 * What is done to the processes, their disk and their network, and when: a function of the seed.
 */
package io.sluice.chaos.fault;

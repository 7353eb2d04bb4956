/* SPDX-License-Identifier: Apache-2.0 */
/** Reads what a job only remembers before anything that it writes. */
package io.sluice.kafka.fill;

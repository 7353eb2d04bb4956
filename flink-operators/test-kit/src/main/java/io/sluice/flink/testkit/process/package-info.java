/* SPDX-License-Identifier: Apache-2.0 */
/** Starts JVMs of their own for tests, and waits for what they do. */
package io.sluice.flink.testkit.process;

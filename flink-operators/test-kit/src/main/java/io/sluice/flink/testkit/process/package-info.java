/* SPDX-License-Identifier: Apache-2.0 */
/** JVMs of their own for tests, and waiting for what they do. */
package io.sluice.flink.testkit.process;

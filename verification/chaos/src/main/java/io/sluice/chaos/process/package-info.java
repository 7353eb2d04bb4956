/* SPDX-License-Identifier: Apache-2.0 */
/** The processes that are beaten up, each a JVM of its own on the loopback interface. */
package io.sluice.chaos.process;

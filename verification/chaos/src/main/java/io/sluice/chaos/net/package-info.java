/* SPDX-License-Identifier: Apache-2.0 */
/** A network that delays, cuts and resets connections. */
package io.sluice.chaos.net;

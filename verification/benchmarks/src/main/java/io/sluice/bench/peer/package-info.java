/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The sets that are compared: {@link io.sluice.bench.peer.Peers} states ours and those of others,
 * each used as its own documentation says; {@link io.sluice.bench.peer.Structure} is one of them,
 * {@link io.sluice.bench.peer.Keys} what they are asked for.
 */
package io.sluice.bench.peer;

/* SPDX-License-Identifier: Apache-2.0 */
/** Follows the TCP flows of captures in one process, without a broker. */
package io.sluice.flows;

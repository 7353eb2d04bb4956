/* SPDX-License-Identifier: Apache-2.0 */
/** From keys to 64-bit hashes, once per record; the algorithm's id is part of every format. */
package io.sluice.filter.hash;

/* SPDX-License-Identifier: Apache-2.0 */
/** Filters with keys of the user's own types. */
package io.sluice.filter.seen;

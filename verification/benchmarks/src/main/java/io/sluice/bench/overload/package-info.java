/* SPDX-License-Identifier: Apache-2.0 */

/** What a window does when more ids come than its memory was made for. */
package io.sluice.bench.overload;

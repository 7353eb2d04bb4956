/* SPDX-License-Identifier: Apache-2.0 */
/** A local disk that can be full, and return errors: the file system {@code chaos://}. */
package io.sluice.chaos.disk;

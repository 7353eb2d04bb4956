/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The envelope around every persistent filter, and the two exceptions that reading can throw.
 *
 * <p>All numbers are little-endian.
 *
 * <pre>
 *   offset  bytes  field
 *        0      4  magic "SLCF"
 *        4      2  kind of filter
 *        6      2  version of that kind's format
 *        8      4  hash algorithm id
 *       12      8  hash seed
 *       20      4  length of the parameters, P
 *       24      8  length of the payload, L
 *       32      P  parameters
 *     32+P      4  CRC-32C of everything before
 *     36+P      L  payload
 *   36+P+L      4  CRC-32C of the payload
 * </pre>
 *
 * Several envelopes may follow each other in one stream: a reader takes exactly its own bytes.
 * Reading is total: any bytes give a filter, a {@link
 * io.sluice.filter.format.CorruptFilterException} or an {@link
 * io.sluice.filter.format.UnsupportedFormatException}, and no claimed size is believed before that
 * many bytes have arrived.
 */
package io.sluice.filter.format;

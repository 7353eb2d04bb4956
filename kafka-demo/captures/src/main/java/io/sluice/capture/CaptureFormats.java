/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.capture;

import java.io.IOException;
import java.util.HexFormat;

/** Tells capture formats apart by their first bytes, and names the fix for unsupported ones. */
final class CaptureFormats {
    private static final int MAGIC_MODIFIED_PCAP = 0xA1B2CD34;
    private static final int MAGIC_ZSTD = 0x28B52FFD;
    private static final int MAGIC_XZ = 0xFD377A58;
    private static final int MAGIC_SNOOP = 0x736E6F6F;

    private CaptureFormats() {}

    static Records detect(CaptureInput input, CaptureTally tally) throws IOException {
        if (!input.ensure(Integer.BYTES)) {
            throw tooShort(input);
        }
        int magic = Octets.i32(input.window(), input.position());
        if (ClassicRecords.isMagic(magic)) {
            return ClassicRecords.open(input);
        }
        if (magic == PcapngRecords.SECTION_HEADER) {
            return PcapngRecords.open(input, tally);
        }
        throw switch (magic) {
            case MAGIC_ZSTD -> refuse(input, "is compressed with zstd", "decompress it first");
            case MAGIC_XZ -> refuse(input, "is compressed with xz", "decompress it first");
            case MAGIC_SNOOP ->
                    refuse(input, "is a snoop capture", "convert it with 'editcap -F pcap'");
            default -> {
                boolean modified =
                        magic == MAGIC_MODIFIED_PCAP
                                || Integer.reverseBytes(magic) == MAGIC_MODIFIED_PCAP;
                yield modified
                        ? refuse(
                                input,
                                "is a pcap with modified record headers",
                                "convert it with 'editcap -F pcap'")
                        : refuse(
                                input,
                                "is not a packet capture (it begins with "
                                        + HexFormat.of().formatHex(input.window(), 0, Integer.BYTES)
                                        + ")",
                                "give a pcap or pcapng file, plain or gzip");
            }
        };
    }

    private static CaptureException tooShort(CaptureInput input) {
        if (!input.damage().isEmpty()) {
            return refuse(input, input.damage(), "copy the file again");
        }
        return input.available() == 0
                ? refuse(input, "is empty", "capture again, or check the copy")
                : refuse(
                        input,
                        "has " + input.available() + " bytes, too few for a capture",
                        "capture again, or check the copy");
    }

    private static CaptureException refuse(CaptureInput input, String problem, String fix) {
        return new CaptureException(input.file(), 0, problem, fix);
    }
}

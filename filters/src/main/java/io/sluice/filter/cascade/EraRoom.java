/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.cascade;

/**
 * Which era the next buffer belongs to, and how many entries that era takes yet.
 *
 * @param hashBits bits of a hash that its entries keep
 * @param entries at least 0
 */
record EraRoom(int hashBits, long entries) {

    /**
     * The latest era that anything belongs to, or the next one if there is hardly room in it.
     *
     * @param active the buffer before; null if there is none
     * @param least fewer entries than this are no room
     * @param needed whether room is needed; otherwise there may be none
     * @throws io.sluice.filter.FilterFullException if it is needed, and no bits are left for it
     */
    static EraRoom of(Eras eras, Version version, EntryBuffer active, long least, boolean needed) {
        int era = latest(eras, version, active);
        long left = eras.capacity(era) - entries(eras.hashBits(era), version, active);
        if (left > Math.min(least, eras.capacity(era) / 2)) {
            return new EraRoom(eras.hashBits(era), left);
        }
        if (!needed && !eras.hasAfter(era)) {
            return new EraRoom(eras.hashBits(era), 0);
        }
        int next = eras.after(era);
        int hashBits = eras.hashBits(next);
        return new EraRoom(hashBits, eras.capacity(next) - entries(hashBits, version, active));
    }

    private static int latest(Eras eras, Version version, EntryBuffer active) {
        int era = active == null ? 0 : eras.eraOf(active.hashBits());
        for (FrozenBuffer frozen : version.frozen()) {
            era = Math.max(era, eras.eraOf(frozen.hashBits()));
        }
        for (FileSlice file : version.files()) {
            era = Math.max(era, eras.eraOf(file.hashBits()));
        }
        return Math.max(0, era);
    }

    /**
     * Entries with so many bits that may be reported: without tombstones, and without what those
     * hide, which is as many if each was the removal of something there.
     */
    private static long entries(int hashBits, Version version, EntryBuffer active) {
        long entries = active != null && active.hashBits() == hashBits ? reported(active) : 0;
        for (FrozenBuffer frozen : version.frozen()) {
            entries += frozen.hashBits() == hashBits ? reported(frozen.buffer()) : 0;
        }
        for (FileSlice file : version.files()) {
            entries += file.hashBits() == hashBits ? file.entries() - 2 * file.tombstones() : 0;
        }
        return Math.max(0, entries);
    }

    private static long reported(EntryBuffer buffer) {
        return buffer.size() - 2L * buffer.tombstones();
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.flink.attack;

import io.sluice.flink.flow.Address;
import io.sluice.flink.flow.Attempt;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Made-up attempts to connect. */
final class Attempts {

    static final Address ME = Address.ofIpv4(0x0a000001);

    private Attempts() {}

    /** One of the addresses that are used here. */
    static Address address(int number) {
        return number % 3 == 0 ? new Address(0x20010db8L << 32, number) : Address.ofIpv4(number);
    }

    static Attempt started(Address source, Address target, int port, long millis) {
        return new Attempt(Attempt.Kind.STARTED, source, target, port, millis);
    }

    static Attempt completed(Address source, Address target, int port, long millis) {
        return new Attempt(Attempt.Kind.COMPLETED, source, target, port, millis);
    }

    /** What a single attempt says about a party. */
    static Tally tally(AttackKind kind, Attempt attempt) {
        return tally(kind, attempt, false);
    }

    static Tally tally(AttackKind kind, Attempt attempt, boolean oneSided) {
        Party party = kind.partyOf(attempt);
        Tally tally = new Tally(kind, party, party.hash());
        tally.add(attempt, oneSided);
        return tally;
    }

    /** Adds an attempt that was not combined with others. */
    static void add(AttackWatch watch, Attempt attempt) {
        watch.add(tally(watch.settings().kind(), attempt));
    }

    /** {@code count} attempts of a host on as many others, one each millisecond. */
    static List<Attempt> scan(Address source, int count, long fromMillis) {
        List<Attempt> attempts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            attempts.add(started(source, address(1_000_000 + i), 22, fromMillis + i));
        }
        return attempts;
    }

    /** {@code count} attempts on a service, each of another host, one each millisecond. */
    static List<Attempt> flood(Address target, int port, int count, long fromMillis) {
        List<Attempt> attempts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            attempts.add(started(address(2_000_000 + i), target, port, fromMillis + i));
        }
        return attempts;
    }

    /**
     * Bursts of some hosts on some services within {@code millis}, of every size and success, so
     * that many are just above or just below the threshold; by time.
     */
    static List<Attempt> bursts(SplittableRandom random, int bursts, long millis) {
        List<Attempt> attempts = new ArrayList<>();
        for (int i = 0; i < bursts; i++) {
            boolean ofOne = random.nextBoolean();
            int one = random.nextInt(10);
            int spread = 1 + random.nextInt(40);
            double completes = random.nextBoolean() ? 0.2 : random.nextDouble();
            double refuses = random.nextDouble() / 2;
            long at = random.nextLong(millis);
            for (int left = 1 + random.nextInt(60); left > 0; left--) {
                at += random.nextLong(120);
                int other = 100 + random.nextInt(spread);
                Address source = address(ofOne ? one : other);
                Address target = address(ofOne ? other : one);
                int port = 80 + random.nextInt(2);
                attempts.add(started(source, target, port, at));
                double draw = random.nextDouble();
                long answered = at + random.nextLong(300);
                if (draw < completes) {
                    attempts.add(completed(source, target, port, answered));
                } else if (draw < completes + refuses) {
                    attempts.add(new Attempt(Attempt.Kind.REFUSED, source, target, port, answered));
                }
            }
        }
        attempts.sort((a, b) -> Long.compare(a.millis(), b.millis()));
        return attempts;
    }
}

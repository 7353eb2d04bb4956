/* SPDX-License-Identifier: Apache-2.0 */
package io.sluice.filter.seen;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.filter.forgetful.ForgetfulFilter;
import io.sluice.filter.forgetful.MemoryBudget;
import io.sluice.filter.forgetful.WindowOptions;
import io.sluice.filter.hash.Hashing;
import io.sluice.filter.hash.SeededHashing;
import io.sluice.filter.quotient.QuotientFilter;
import java.time.Duration;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class SeenTest {
    private static final long SEED = Long.getLong("test.seed", 20261125L);

    private record Order(String customer, long number) {}

    private static QuotientFilter filter() {
        return QuotientFilter.builder().sized(100_000, 1e-9).build();
    }

    @Test
    void aViewAgreesWithAnExactSetOfItsKeys() {
        Random random = new Random(SEED);
        Seen<Order> seen =
                Seen.in(
                        filter(),
                        Funnel.strings().on(Order::customer).and(Funnel.longs().on(Order::number)));
        Set<Order> exact = new HashSet<>();
        for (int i = 0; i < 50_000; i++) {
            Order order = new Order("c" + random.nextInt(200), random.nextInt(200));
            assertThat(seen.mightContain(order)).isEqualTo(exact.contains(order));
            assertThat(seen.add(order)).isEqualTo(exact.add(order));
        }
    }

    @Test
    void theOrderOfThePartsMattersAndPartsDoNotRunIntoEachOther() {
        Funnel<String[]> pair =
                Funnel.strings().on((String[] p) -> p[0]).and(Funnel.strings().on(p -> p[1]));

        assertThat(pair.hash(new String[] {"a", "b"}))
                .isNotEqualTo(pair.hash(new String[] {"b", "a"}))
                .isNotEqualTo(pair.hash(new String[] {"ab", ""}))
                .isNotEqualTo(pair.hash(new String[] {"", "ab"}))
                .isEqualTo(pair.hash(new String[] {"a", "b"}));
    }

    @Test
    void everyKindOfKeyIsHashedAsHashingDoes() {
        UUID uuid = new UUID(3, 4);

        assertThat(Funnel.strings().hash("x")).isEqualTo(Hashing.hash("x"));
        assertThat(Funnel.bytes().hash("x".getBytes(UTF_8)))
                .isEqualTo(Hashing.hash("x".getBytes(UTF_8)));
        assertThat(Funnel.longs().hash(7L)).isEqualTo(Hashing.hash(7L));
        assertThat(Funnel.uuids().hash(uuid)).isEqualTo(Hashing.combine(3, 4));
        SeededHashing secret = SeededHashing.of(99);
        assertThat(Funnel.strings(secret).hash("x"))
                .isEqualTo(secret.hash("x"))
                .isNotEqualTo(Hashing.hash("x"));
        assertThat(Funnel.longs(secret).hash(7L)).isEqualTo(secret.hash(7L));
        assertThat(Funnel.bytes(secret).hash(new byte[2])).isEqualTo(secret.hash(new byte[2]));
    }

    @Test
    void wholeNumbersOfOneValueAreEqualWhateverTheirWidth() {
        SeededHashing secret = SeededHashing.of(99);
        for (short value : new short[] {0, 7, -1, Short.MIN_VALUE, Short.MAX_VALUE}) {
            assertThat(Funnel.ints().hash((int) value))
                    .isEqualTo(Funnel.longs().hash((long) value))
                    .isEqualTo(Funnel.shorts().hash(value));
            assertThat(Funnel.ints(secret).hash((int) value))
                    .isEqualTo(Funnel.longs(secret).hash((long) value))
                    .isEqualTo(Funnel.shorts(secret).hash(value));
        }
        assertThat(Funnel.ints().hash(Integer.MIN_VALUE))
                .isEqualTo(Funnel.longs().hash((long) Integer.MIN_VALUE));
    }

    @Test
    void fractionsAreToldApartAsEqualsDoes() {
        Seen<Double> seen = Seen.in(filter(), Funnel.doubles());
        Random random = new Random(SEED);
        for (int i = 0; i < 1_000; i++) {
            assertThat(seen.add(random.nextDouble())).isTrue();
        }
        double otherNaN = Double.longBitsToDouble(0x7ff8000000000001L);
        assertThat(Funnel.doubles().hash(otherNaN)).isEqualTo(Funnel.doubles().hash(Double.NaN));
        assertThat(Funnel.doubles().hash(-0.0)).isNotEqualTo(Funnel.doubles().hash(0.0));
        assertThat(Funnel.doubles().hash(-0.0 + 0.0)).isEqualTo(Funnel.doubles().hash(0.0));
        SeededHashing secret = SeededHashing.of(99);
        assertThat(Funnel.doubles(secret).hash(1.5))
                .isEqualTo(secret.hash(Double.doubleToLongBits(1.5)))
                .isNotEqualTo(Funnel.doubles().hash(1.5));
    }

    @Test
    void aViewOfAWindowForgets() {
        ForgetfulFilter filter =
                ForgetfulFilter.create(
                        WindowOptions.builder()
                                .window(Duration.ofMinutes(10))
                                .expectedPerWindow(10_000)
                                .build(),
                        new MemoryBudget(1 << 22),
                        0);
        SeenWithin<UUID> seen = SeenWithin.in(filter, Funnel.uuids());
        UUID uuid = new UUID(1, 2);

        assertThat(seen.mightContain(uuid, 0)).isFalse();
        assertThat(seen.add(uuid, 1_000)).isTrue();
        assertThat(seen.add(uuid, 2_000)).isFalse();
        assertThat(seen.mightContain(uuid, 0)).isTrue();
        assertThat(seen.add(uuid, 1_000 + 601_000 + 75_000)).isTrue();
    }

    @Test
    void aNullKeyIsRefused() {
        Seen<CharSequence> seen = Seen.in(filter(), Funnel.strings());

        assertThatThrownBy(() -> seen.add(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> Seen.in(null, Funnel.strings()))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("filter");
    }
}

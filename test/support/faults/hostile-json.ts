import fc from 'fast-check';

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Values that other programs should not send, and some that they may. */
export const hostileJson: fc.Arbitrary<Json> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.constantFrom<Json>(null, true, '', [], {}, [[]], 'a'.repeat(70_000), { error: { message: ['?'] } }),
  },
  { weight: 5, arbitrary: fc.constantFrom<Json>(0, -1, 0.5, 1e21, -1e308, 2 ** 31, 2 ** 53, 2 ** 53 + 2) },
  { weight: 5, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
  { weight: 5, arbitrary: fc.jsonValue() as fc.Arbitrary<Json> },
  // More values than a call has arguments. Seldom, as each takes a megabyte through every reader.
  { weight: 1, arbitrary: fc.constant<Json>(Array.from({ length: 150_000 }, (_, index) => index)) },
);

/** The same value with up to `most` of its parts replaced by others, or left out. */
export function damaged(value: Json, most = 3): fc.Arbitrary<Json> {
  const change = fc.record({ place: fc.nat(), value: fc.option(hostileJson, { freq: 5, nil: undefined }) });
  return fc.array(change, { maxLength: most }).map((changes) => {
    const copy: Holder = { value: structuredClone(value) };
    for (const { place, value: replacement } of changes) {
      const places = placesIn(copy);
      const [holder, key] = places[place % places.length] ?? [copy, 'value'];
      if (replacement === undefined && !Array.isArray(holder)) delete holder[key];
      else holder[key] = structuredClone(replacement ?? null);
    }
    return copy.value ?? null;
  });
}

type Holder = Record<string, Json | undefined>;

function placesIn(holder: Holder): readonly (readonly [Holder, string])[] {
  return Object.keys(holder)
    .slice(0, 50)
    .flatMap((key) => {
      const value = holder[key];
      const inner = typeof value === 'object' && value !== null ? placesIn(value as Holder) : [];
      return [[holder, key] as const, ...inner];
    });
}

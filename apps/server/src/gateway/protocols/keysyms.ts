/**
 * X11's numbers of characters (X11/keysymdef.h). Those of Latin-1 are their own numbers and most
 * others have 0x01000000 before theirs, but those of the oldest alphabets have numbers of their
 * own, which viewers send for every key that has one: the letters of Polish, Russian or Greek
 * keyboards.
 */

const UNICODE = 0x0100_0000

/** Alphabets whose numbers are those of a character set, behind the number of the alphabet. */
const CHARACTER_SETS: Readonly<Record<number, string>> = {
  ...{ 1: 'iso-8859-2', 2: 'iso-8859-3', 3: 'iso-8859-4', 5: 'iso-8859-6', 6: 'koi8-u' },
  ...{ 7: 'iso-8859-7', 12: 'iso-8859-8', 13: 'windows-874', 19: 'iso-8859-15' },
}
/** Others, and where those differ; from a number on. A blank is none. */
const RUNS: readonly (readonly [first: number, characters: string])[] = [
  [0x47e, '‾'],
  [
    0x4a1,
    '。「」、・ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン゛゜',
  ],
  [0x6a1, 'ђѓ'],
  [0x6a5, 'ѕ'],
  [0x6a8, 'јљњћќ'],
  [0x6af, 'џ№ЂЃ'],
  [0x6b5, 'Ѕ'],
  [0x6b8, 'ЈЉЊЋЌ'],
  [0x6bf, 'Џ'],
  [0x7a1, 'ΆΈΉΊΪ ΌΎΫ Ώ  ΅― άέήίϊΐόύϋΰώ'],
  [0x7d2, 'Σ'],
  [0x7f2, 'σς'],
  [0x8bc, '≤≠≥∫∴'],
  [0x8fb, '←↑→↓'],
  [0xaa9, '—–'],
  [0xaae, '…'],
  [0xac9, '™'],
  [0xad0, '‘’“”'],
  [0xad5, '‰'],
  [0xae6, '•'],
  [0xaf1, '†‡'],
  [0xafd, '‚„'],
  [0xeff, '₩'],
]
const OWN = new Map(
  RUNS.flatMap(([first, characters]) =>
    [...characters].flatMap((character, n): [number, string][] => (character === ' ' ? [] : [[first + n, character]])),
  ),
)

/** Character of a key; undefined for one that is no character. */
export function characterOf(keysym: number): string | undefined {
  if ((keysym >= 0x20 && keysym <= 0x7e) || (keysym >= 0xa0 && keysym <= 0xff)) return String.fromCodePoint(keysym)
  if (keysym >= UNICODE) {
    const point = keysym - UNICODE
    return point >= 0x20 && point <= 0x10_ffff ? String.fromCodePoint(point) : undefined
  }
  // Signs of currencies, by which the euro has its number.
  if (keysym >= 0x20a0 && keysym <= 0x20ac) return String.fromCodePoint(keysym)
  return OWN.get(keysym) ?? inSet(keysym)
}

function inSet(keysym: number): string | undefined {
  const name = CHARACTER_SETS[keysym >> 8]
  if (!name || (keysym & 0xff) < 0xa1) return undefined
  const character = new TextDecoder(name).decode(Uint8Array.of(keysym & 0xff))
  return character === '\ufffd' ? undefined : character
}

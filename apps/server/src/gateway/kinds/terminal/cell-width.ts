import { eastAsianWidth } from 'get-east-asian-width'

/**
 * Marks that stand on the character before, and what only steers how others are shown (joiners,
 * variation selectors); later vowels of Korean syllables.
 */
const WITHOUT_WIDTH = /[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff]/u

/**
 * Columns of one character in a terminal: 0, 1 or 2. Counted by code point, as the emulator of the
 * web terminal and most others do: of an emoji that is joined from several each takes its place,
 * and a flag is its two letters.
 */
export function cellWidth(character: string): 0 | 1 | 2 {
  const code = character.codePointAt(0) ?? 0
  if (code < 0x300) return 1
  // Chinese and Korean, of which there is much.
  if ((code >= 0x3400 && code <= 0x9fff) || (code >= 0xac00 && code <= 0xd7a3)) return 2
  return WITHOUT_WIDTH.test(character) ? 0 : eastAsianWidth(code)
}

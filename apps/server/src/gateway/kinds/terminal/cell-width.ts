import { eastAsianWidth } from 'get-east-asian-width'

/**
 * Combining marks, characters that only control how others are shown (joiners, variation
 * selectors), and later vowels of Korean syllables.
 */
const WITHOUT_WIDTH = /[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff]/u

/**
 * Columns of one character in a terminal: 0, 1 or 2. Counted for each code point, as the web
 * terminal's emulator and most others do: each part of a joined emoji has its own width, and a flag
 * is two letters.
 */
export function cellWidth(character: string): 0 | 1 | 2 {
  const code = character.codePointAt(0) ?? 0
  if (code < 0x300) return 1
  // A shortcut for Chinese and Korean, which are frequent.
  if ((code >= 0x3400 && code <= 0x9fff) || (code >= 0xac00 && code <= 0xd7a3)) return 2
  return WITHOUT_WIDTH.test(character) ? 0 : eastAsianWidth(code)
}

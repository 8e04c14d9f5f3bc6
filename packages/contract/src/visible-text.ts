/**
 * A command as somebody may read it before they answer for it: characters that show nothing or turn
 * the reading order around (Unicode TR36 §3) are shown by their names, such as `<U+202E>`. Line
 * breaks and tabs stay.
 */
export function visibleText(text: string): string {
  return text.replace(
    /(?![\n\t])[\p{Cc}\p{Cf}\u2028\u2029]/gu,
    (character) => `<U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`,
  )
}

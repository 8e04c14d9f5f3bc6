/**
 * Characters that show nothing or turn the reading order around (Unicode TR36 §3), also those that a font draws as
 * nothing, such as fillers of Hangul. A person and a program would read different texts. Line breaks and tabs are none.
 */
export const HIDDEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}\u2028\u2029]/u

const EACH_HIDDEN = new RegExp(HIDDEN.source, 'gu')

/** A hidden character by its name, such as `<U+202E>`. */
export const nameOfHidden = (character: string): string =>
  `<U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`

/** A text as somebody may read it before they answer for it: hidden characters are shown by their names. */
export const visibleText = (text: string): string => text.replace(EACH_HIDDEN, nameOfHidden)

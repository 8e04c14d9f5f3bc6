import { randomInt } from 'node:crypto'

/** Rules of generated passwords (docs/rules/accounts.md#password_rules). */
export interface PasswordRules {
  length: number
  /** The special characters that may be in it; none for an empty text. */
  symbols?: string
}

/**
 * Special characters that mean nothing to a shell that quotes nothing, to SQL, to `chpasswd` and to
 * templates: no quotes, backslash, `$`, `%`, `#`, `&`, `<`, `>`, `|`, braces or blanks.
 */
export const DEFAULT_SYMBOLS = '!@^*()-_=+[]:;,.?~'
/** All that a plan may allow: printable ASCII without what ends a quoted text somewhere. */
const ALLOWED_SYMBOLS = /^[!@#^&*()\-_=+[\]:;,.?~<>|/]*$/

const LOWER = 'abcdefghijklmnopqrstuvwxyz'
const CLASSES = [LOWER, LOWER.toUpperCase(), '0123456789']
/** Some tools take a first one of these for an option or a comment. */
const NOT_FIRST = /^[-#]/

/** Whether passwords may have all of these special characters. */
export const areSymbolsAllowed = (symbols: string): boolean => ALLOWED_SYMBOLS.test(symbols)

/** A new password from the system's generator, with at least one character of each class. */
export function generatePassword({ length, symbols = DEFAULT_SYMBOLS }: PasswordRules): string {
  const classes = symbols ? [...CLASSES, symbols] : CLASSES
  const any = classes.join('')
  for (;;) {
    const characters = [...classes.map(oneOf), ...Array.from({ length: length - classes.length }, () => oneOf(any))]
    const password = shuffled(characters).join('')
    if (!NOT_FIRST.test(password)) return password
  }
}

const oneOf = (characters: string): string => characters.charAt(randomInt(characters.length))

/** Fisher and Yates: every order is as likely. */
function shuffled(items: string[]): string[] {
  for (let at = items.length - 1; at > 0; at--) {
    const other = randomInt(at + 1)
    const [one, two] = [items[at] as string, items[other] as string]
    items[at] = two
    items[other] = one
  }
  return items
}

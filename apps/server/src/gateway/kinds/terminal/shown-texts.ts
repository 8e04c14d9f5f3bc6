import type { EditedLine } from './commands/edited-line.ts'

/** How a terminal shows keys that no program has read yet. */
const UNREAD_KEYS = /\^[@-_?]/g

/** The part of a line that keys run: behind the mark of a comment, or its substitutions. */
export type Part = 'comment' | 'substitutions'
const PARTS: Readonly<Record<Part, RegExp>> = {
  comment: /(?<=^\s*#).*/s,
  // From the first, or what may be one, to the end.
  substitutions: /(?:[$<>=]?\(|`).*/s,
}

/** Such parts of what may be the line. */
export const partsOf = (part: Part, lines: readonly string[]): string[] =>
  lines.flatMap((line) => PARTS[part].exec(line) ?? [])

/** Shown texts that are neither the typed text nor its beginning, whose echo is on its way. */
export function disagreeing({ text, shown }: EditedLine): string[] {
  const typed = text.trim()
  return shown.filter((one) => one && !typed.startsWith(one))
}

/** Keys that were not typed as they are shown. */
export function hasUnreadKeys(shown: string, typed: string): boolean {
  return (shown.match(UNREAD_KEYS) ?? []).some((key) => !typed.includes(key))
}

/**
 * Texts that may run of a line that is known from the screen alone. Below the cursor is the list of a completion, or more
 * of a line that was fetched.
 */
export function shownTexts({
  shown,
  shownWithBelow,
  mayBeFetched,
  isDoubted,
  hasRows,
  hasEditor,
}: EditedLine): string[] {
  const all = mayBeFetched || isDoubted || hasRows ? [...shown, ...shownWithBelow] : shown
  // Some shells leave out what a terminal shows like this (dash: NUL).
  return hasEditor ? all : [...all, ...all.map((one) => one.replace(UNREAD_KEYS, ''))]
}

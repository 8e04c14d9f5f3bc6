import { MAX_TEXT, TooLong } from './reading-limits.ts'
import { otherReadings } from './readings.ts'
import { ScriptReader } from './script-reader.ts'
import type { SeenCommand } from './seen-commands.ts'
import { TooMuch, type Unresolved } from './words.ts'

/** The parser looks at each again for all others, so their time grows with the square. */
const MAX_HERE_DOCUMENTS = 32

/** What is no longer than this surely takes little time of its own. */
const SHORT_TEXT = 256

/** A line that replaces something in the one before: history, too, but no word of its own. */
const QUICK_REPLACEMENT = /^\^[^^\n]/m

/** Of such a here document only some shells find the end. */
const DELIMITER_OF_ROWS = /<<-?\s*(?:'[^'\n]*\n|"[^"\n]*\n)/

export interface Reading {
  commands: SeenCommand[]
  /** What may be run besides, as far as the text says: no list of what is allowed counts on it. */
  possible: string[]
  /** Where this is empty, the commands are all there are, and just these. */
  unresolved: Unresolved[]
  /** A shell in it reads what comes to the text as a whole, or what reads that can't be said. */
  readsInput: boolean
}

/**
 * The simple commands of a text that a shell is to run, those inside of others included: as bash reads it, and as
 * other shells do where they differ. Takes bounded time for any text, and never throws. `isTyped`: at a prompt.
 */
export function commandsIn(text: string, isTyped = true): Reading {
  if (text.length > MAX_TEXT || text.split('<<').length > MAX_HERE_DOCUMENTS)
    return { commands: [], possible: [], unresolved: [{ text: '', why: 'size' }], readsInput: true }
  return readingOf(text, isTyped, text.length <= SHORT_TEXT)
}

/** `isAgain`: what took too long is read once more. */
function readingOf(text: string, isTyped: boolean, isAgain: boolean): Reading {
  const reader = new ScriptReader()
  const { seen } = reader
  if (QUICK_REPLACEMENT.test(text)) seen.unresolved.push({ text: text.trim(), why: 'history' })
  if (DELIMITER_OF_ROWS.test(text)) seen.unresolved.push({ text: text.trim(), why: 'syntax' })
  try {
    reader.script(text)
    for (const reading of otherReadings(text, isTyped)) reader.reading(reading)
  } catch (error) {
    if (error instanceof TooLong && isAgain) return readingOf(text, isTyped, false)
    // Anything else is a fault of the parser, such as a stack that is too deep for it.
    seen.unresolved.push({ text: '', why: error instanceof TooMuch ? 'size' : 'syntax' })
  }
  const { commands, unresolved } = seen
  const isRead = unresolved.every(({ why }) => why !== 'size' && why !== 'syntax')
  return { commands, possible: seen.possibleIn(text), unresolved, readsInput: seen.readsInput || !isRead }
}

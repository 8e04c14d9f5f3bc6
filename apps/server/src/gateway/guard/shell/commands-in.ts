import { guarded } from '../guarded.ts'
import { beginsTooMany, MAX_TEXT, readingTime, TooLong, TooMuch } from './reading-limits.ts'
import { otherReadings } from './readings.ts'
import { ScriptReader } from './script-reader.ts'
import type { SeenCommand } from './seen-commands.ts'
import type { Unresolved } from './words.ts'

/** A text no longer than this, which does not use values, surely takes little time of its own. */
const SHORT_TEXT = 256
const MAKES_VALUES = /\$\{/

/** A line that replaces something in the one before: history, too, but no word of its own. */
const QUICK_REPLACEMENT = /^\^[^^\n]/m

/** Delimiter of a here document that only some shells find. */
const DELIMITER_OF_ROWS = /<<-?\s*(?:'[^'\n]*\n|"[^"\n]*\n)/

export interface Reading {
  commands: SeenCommand[]
  /** Commands that may run besides, as far as the text says: no allow-list counts on them. */
  possible: string[]
  /** Empty where the commands are all there are, and just these. */
  unresolved: Unresolved[]
  /** A shell in it reads what comes to the text as a whole, or what reads that can't be said. */
  readsInput: boolean
  /**
   * It is longer, or nested or grows deeper, than is followed: what it runs besides the commands that were seen can't
   * be said.
   */
  isTooMuch: boolean
}

const TOO_MUCH: Reading = {
  commands: [],
  possible: [],
  unresolved: [{ text: '', why: 'size' }],
  readsInput: true,
  isTooMuch: true,
}

/**
 * The simple commands of a text that a shell is to run, those inside of others included: as bash reads it, and as
 * other shells do where they differ. Takes bounded time for any text, and never throws. `isTyped`: at a prompt.
 */
export function commandsIn(text: string, isTyped = true): Reading {
  if (text.length > MAX_TEXT || beginsTooMany(text)) return TOO_MUCH
  if (text.length <= SHORT_TEXT && !MAKES_VALUES.test(text)) return readingOf(text, isTyped, true)
  try {
    return guarded(() => readingOf(text, isTyped, false), 2 * readingTime(text.length))
  } catch {
    return TOO_MUCH
  }
}

/** `isAgain`: what took too long is read once more. */
function readingOf(text: string, isTyped: boolean, isAgain: boolean): Reading {
  const reader = new ScriptReader(text.length)
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
    seen.isTooMuch = true
  }
  const { commands, unresolved, isTooMuch } = seen
  const isRead = unresolved.every(({ why }) => why !== 'size' && why !== 'syntax')
  const readsInput = seen.readsInput || !isRead
  return { commands, possible: seen.possibleIn(text), unresolved, readsInput, isTooMuch }
}

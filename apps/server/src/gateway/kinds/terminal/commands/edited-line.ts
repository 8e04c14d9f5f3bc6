import type { TypedLine } from './keyed-line.ts'

/** The line that is being edited, as far as it is known. */
export interface EditedLine extends TypedLine {
  fullScreen: boolean
  /** Within a paste that a line editor takes as text, line ends included. */
  isPasting: boolean
  /**
   * The line as the screen shows it; empty where that is unknown, several where it is not certain.
   */
  shown: string[]
  /** The same with the rows below the cursor: more of the line, or what a completion lists. */
  shownWithBelow: string[]
  /** A line editor is on: it shows what it makes of keys, and no program's terminal the keys. */
  hasEditor: boolean
  /** A program asks for something, such as a password. */
  isQuestion: boolean
  /** The line is empty. */
  isEmpty: boolean
  /** No more is shown than what is known of it: what other keys made of it may be on its way. */
  isUnmoved: boolean
  /** The cursor is before all that is shown of it, or behind it. */
  isAtBegin: boolean
  isAtEnd: boolean
}

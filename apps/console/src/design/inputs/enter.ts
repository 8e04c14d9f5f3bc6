import type { KeyboardEvent } from 'react'

/** The code of keys that an input method keeps for itself. */
const KEPT_BY_INPUT_METHOD = 229

/**
 * A person presses Enter and means it: not the Enter that takes a word of an input method, as
 * Chinese is typed. Safari ends the composition before it reports that key, by this code alone.
 */
export const isEnter = ({ key, nativeEvent }: KeyboardEvent): boolean =>
  key === 'Enter' && !nativeEvent.isComposing && nativeEvent.keyCode !== KEPT_BY_INPUT_METHOD

export type Side = 'below' | 'beside' | 'before'

/**
 * Properties of an element beside which words appear under the pointer and with the focus
 * (`Tooltip.tsx`). They are for the eye: give the element its name, or what else they say, for
 * screen readers too.
 */
export const tip = (words: string | undefined, side: Side = 'below') =>
  words ? { 'data-tip': words, ...(side === 'below' ? {} : { 'data-tip-side': side }) } : {}

/**
 * Properties of a control that does nothing now, and says why: it looks disabled, but can be
 * reached. Its `onClick` must do nothing.
 */
export const explained = (why: string | undefined, side?: Side) =>
  why ? { ...tip(why, side), 'aria-disabled': true, 'aria-description': why, disabled: false, title: undefined } : {}

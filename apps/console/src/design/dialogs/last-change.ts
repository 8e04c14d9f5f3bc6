/** The change that the last call made, for the message that says so: it offers to take it back. */

/** A message comes at once: what is older belongs to another one. Milliseconds. */
const FRESH_MS = 1500

let last: { id: string; at: number } | undefined

/** Called after each answer; null where the call made no change that can be taken back. */
export function noteChange(id: string | null): void {
  last = id ? { id, at: performance.now() } : undefined
}

/** The change that was just made, once. */
export function takeChange(): string | undefined {
  const change = last
  last = undefined
  return change && performance.now() - change.at < FRESH_MS ? change.id : undefined
}

let way: ((id: string) => void) | undefined

/** How a change is taken back; set once by the entry. Without it nothing is offered. */
export function offerUndo(how: (id: string) => void): void {
  way = how
}

/** Takes the change back that was just made; undefined where there is none. */
export function undoOfLast(): (() => void) | undefined {
  const id = way && takeChange()
  return id ? () => way?.(id) : undefined
}

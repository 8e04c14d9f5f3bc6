/**
 * Names on the wire carry what tells them apart: `Ann(ann)`, `web-1(10.0.0.1)`. Undefined for what
 * has no second part, also for a name with a remark of its own: `Payments (old)`.
 */
export function partsOf(text: string): { name: string; detail: string } | undefined {
  const [, name, detail] = /^(.*\S)\(([^()]*)\)$/.exec(text) ?? []
  return name === undefined || detail === undefined ? undefined : { name, detail }
}

/**
 * Such a name as a sentence for people says it: `Ann (ann)`, and once where both parts are the same.
 */
export function spoken(text: string): string {
  const parts = partsOf(text)
  return !parts ? text : parts.detail && parts.detail !== parts.name ? `${parts.name} (${parts.detail})` : parts.name
}

/** What nobody sees in a name, but turns the direction of the rest or orders a terminal about. */
const UNSEEN = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu

/** A name of a file with its invisible characters written out: `up\u202etxt.exe` looks like what it is. */
export const visibleName = (name: string): string =>
  name.replace(UNSEEN, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)

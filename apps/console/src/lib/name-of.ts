/**
 * Names on the wire carry what tells them apart: `Ann(ann)`, `web-1(10.0.0.1)`. Undefined for what
 * has no second part.
 */
export function partsOf(text: string): { name: string; detail: string } | undefined {
  const [, name, detail] = /^(.+)\(([^()]*)\)$/.exec(text) ?? []
  return name === undefined || detail === undefined ? undefined : { name, detail }
}

/** `Ann(ann)` is known by her name, `web-1(10.0.0.1)` by its own. */
export const nameOf = (text: string) => partsOf(text)?.name ?? text

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

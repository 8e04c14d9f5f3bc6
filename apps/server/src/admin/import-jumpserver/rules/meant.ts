import { json, jsonTexts, text, uuid } from '../values.ts'

/** The rows that a rule of version 3 or 4 is about. */
export type Meant = { type: 'all' } | { type: 'ids'; ids: string[] } | { type: 'attrs' }

/** Reads `{"type": "ids", "ids": […]}`; anything else than all, ids and attributes means nobody. */
export function readMeant(value: string | null | undefined): Meant {
  const found = json(value)
  const { type, ids } = (found && typeof found === 'object' ? found : {}) as { type?: unknown; ids?: unknown }
  if (type === 'all') return { type: 'all' }
  if (type === 'attrs') return { type: 'attrs' }
  const all = Array.isArray(ids) ? ids.map((id) => uuid(String(id)) ?? '') : []
  return { type: 'ids', ids: all.filter(Boolean) }
}

/** Names of accounts in a rule; undefined for all of them. */
export function readAccountNames(value: string | null | undefined): string[] | undefined {
  const names = jsonTexts(value)
  return !names.length || names.includes('*') || names.includes('@ALL') ? undefined : names.map((one) => text(one, 128))
}

/** What a person has written and run in a workbench, kept in this browser, for them and that database alone. */

const TEXT_MAX = 200_000
const HISTORY_MAX = 100
const ENTRY_MAX = 10_000
/** What names a password is not kept. */
const SECRET = /\b(?:identified\s+(?:by|via|with)|password|passwd|set\s+password)\b/i

const placeOf = (what: 'draft' | 'history', userId: string, targetId: string) =>
  `sallyport.workbench.${what}.${userId}.${targetId}`

export function keptDraft(userId: string, targetId: string): string {
  return localStorage.getItem(placeOf('draft', userId, targetId)) ?? ''
}

export function keepDraft(userId: string, targetId: string, text: string): void {
  keep(placeOf('draft', userId, targetId), SECRET.test(text) ? '' : text.slice(0, TEXT_MAX))
}

/** The newest first. */
export function keptHistory(userId: string, targetId: string): string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(placeOf('history', userId, targetId)) ?? '[]')
    return Array.isArray(kept) ? kept.filter((one): one is string => typeof one === 'string') : []
  } catch {
    return []
  }
}

/** Answers the history with it. */
export function addToHistory(userId: string, targetId: string, text: string): string[] {
  const before = keptHistory(userId, targetId)
  const own = text.trim()
  if (!own || own.length > ENTRY_MAX || SECRET.test(own)) return before
  const history = [own, ...before.filter((one) => one !== own)].slice(0, HISTORY_MAX)
  keep(placeOf('history', userId, targetId), JSON.stringify(history))
  return history
}

export function forgetHistory(userId: string, targetId: string): void {
  localStorage.removeItem(placeOf('history', userId, targetId))
}

/** A browser that has no room keeps nothing. */
function keep(place: string, text: string): void {
  try {
    if (text) localStorage.setItem(place, text)
    else localStorage.removeItem(place)
  } catch {
    localStorage.removeItem(place)
  }
}

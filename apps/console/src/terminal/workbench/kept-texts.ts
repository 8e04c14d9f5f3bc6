/**
 * A person's texts and statements of a workbench, kept in this browser, for them and that database
 * alone; of who is not signed in only for as long as the page is there.
 */

const TEXT_MAX = 200_000
const HISTORY_MAX = 100
const ENTRY_MAX = 10_000
/** What names a password is not kept. */
const SECRET = /\b(?:identified\s+(?:by|via|with)|password|passwd|set\s+password)\b/i

/** For a person who is not signed in. */
const ofThisPage = new Map<string, string>()

type What = 'draft' | 'history'
const nameOf = (what: What, userId: string | undefined, targetId: string) =>
  `sallyport.workbench.${what}.${userId}.${targetId}`

function read(what: What, userId: string | undefined, targetId: string): string {
  const name = nameOf(what, userId, targetId)
  return (userId === undefined ? ofThisPage.get(name) : localStorage.getItem(name)) ?? ''
}

/** A browser that has no room keeps nothing. */
function keep(what: What, userId: string | undefined, targetId: string, text: string): void {
  const name = nameOf(what, userId, targetId)
  if (userId === undefined) ofThisPage.set(name, text)
  else
    try {
      if (text) localStorage.setItem(name, text)
      else localStorage.removeItem(name)
    } catch {
      localStorage.removeItem(name)
    }
}

export function keptDraft(userId: string | undefined, targetId: string): string {
  return read('draft', userId, targetId)
}

export function keepDraft(userId: string | undefined, targetId: string, text: string): void {
  keep('draft', userId, targetId, SECRET.test(text) ? '' : text.slice(0, TEXT_MAX))
}

/** The newest first. */
export function keptHistory(userId: string | undefined, targetId: string): string[] {
  try {
    const kept: unknown = JSON.parse(read('history', userId, targetId) || '[]')
    return Array.isArray(kept) ? kept.filter((one): one is string => typeof one === 'string') : []
  } catch {
    return []
  }
}

/** Answers the history with it. */
export function addToHistory(userId: string | undefined, targetId: string, text: string): string[] {
  const before = keptHistory(userId, targetId)
  const own = text.trim()
  if (!own || own.length > ENTRY_MAX || SECRET.test(own)) return before
  const history = [own, ...before.filter((one) => one !== own)].slice(0, HISTORY_MAX)
  keep('history', userId, targetId, JSON.stringify(history))
  return history
}

export function forgetHistory(userId: string | undefined, targetId: string): void {
  keep('history', userId, targetId, '')
}

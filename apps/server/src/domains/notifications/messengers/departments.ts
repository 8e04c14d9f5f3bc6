import { setTimeout as wait } from 'node:timers/promises'
import { openApi } from './api.ts'
import { type Api, type App, type Department, type Messenger, MessengerError } from './messenger.ts'

/** Somebody waits at the sign-in meanwhile. */
const LIMIT_MS = 5000
/** Calls for one person, and departments above one another. */
const MAX_CALLS = 100
const MAX_DEPTH = 30
/** A department that was renamed or moved is known within this time. */
const KEEP_MS = 5 * 60_000
const MAX_KEPT = 10_000

const kept = new Map<string, { value: Department; endsAt: number }>()

/**
 * The departments of a person and all above these, each by its id (`id:12`) and by its path from the top
 * (`/IT/Platform`); none for somebody whom the messenger knows no more. Throws `MessengerError`, also where
 * not all of them can be read in time.
 */
export async function departmentsOf(messenger: Messenger, app: App, person: string): Promise<string[]> {
  const ended = new AbortController()
  const late = wait(LIMIT_MS, undefined, { signal: ended.signal, ref: false }).then(() => {
    throw temporary('the departments took too long')
  })
  // The one that loses is over as well.
  late.catch(() => {})
  try {
    return await Promise.race([read(messenger, openApi(messenger, app), person, Date.now() + LIMIT_MS), late])
  } finally {
    ended.abort()
  }
}

const temporary = (text: string) => new MessengerError(text, { isTemporary: true })

async function read(messenger: Messenger, api: Api, person: string, deadline: number): Promise<string[]> {
  let calls = 0
  const count = () => {
    if (++calls > MAX_CALLS) throw new MessengerError('there are too many departments', { isTemporary: false })
    if (Date.now() > deadline) throw temporary('the departments took too long')
  }
  const one = async (id: string): Promise<Department> => {
    const key = JSON.stringify([messenger.name, api.app.apiUrl, api.app.id, id])
    const found = kept.get(key)
    if (found && found.endsAt > Date.now()) return found.value
    count()
    const value = await messenger.department(api, id)
    kept.delete(key)
    kept.set(key, { value, endsAt: Date.now() + KEEP_MS })
    for (const oldest of kept.keys()) if (kept.size > MAX_KEPT) kept.delete(oldest)
    return value
  }
  const all = new Set<string>()
  for (const direct of await ownOf(messenger, api, person)) {
    /** From the department of the person to the top; the company itself is no part of a path. */
    const above: { id: string; name: string }[] = []
    for (let id = direct; id !== messenger.topDepartment; ) {
      if (above.length >= MAX_DEPTH) throw new MessengerError('departments are too deep', { isTemporary: false })
      const { name, parent } = await one(id)
      above.push({ id, name })
      id = parent
    }
    all.add(`id:${messenger.topDepartment}`)
    let path = ''
    for (const { id, name } of above.reverse()) {
      path += `/${escaped(name)}`
      all.add(`id:${id}`)
      all.add(path)
    }
  }
  return [...all]
}

async function ownOf(messenger: Messenger, api: Api, person: string): Promise<string[]> {
  try {
    return await messenger.departmentIdsOf(api, person)
  } catch (error) {
    if (error instanceof MessengerError && error.code !== undefined && messenger.noSuchPerson.includes(error.code))
      return []
    throw error
  }
}

/** A name with a slash must not read as two departments. */
const escaped = (name: string) => name.replace(/[\\/]/g, '\\$&')

/** Ids of departments in an answer. Throws where they are not as documented. */
export function idsIn(value: unknown): string[] {
  if (!Array.isArray(value)) throw new MessengerError('the answer names no departments', { isTemporary: false })
  return value.map(idOfDepartment)
}

/** A department in an answer. Throws where it is not as documented. */
export function departmentIn(name: unknown, parent: unknown): Department {
  if (typeof name !== 'string' || name === '' || name.length > 256)
    throw new MessengerError('the answer names no department', { isTemporary: false })
  return { name, parent: idOfDepartment(parent) }
}

function idOfDepartment(value: unknown): string {
  const id = typeof value === 'number' ? String(value) : value
  if (typeof id === 'string' && /^[\w-]{1,64}$/.test(id)) return id
  throw new MessengerError('the answer has a department without an id', { isTemporary: false })
}

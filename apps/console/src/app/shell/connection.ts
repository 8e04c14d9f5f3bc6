/** Whether server and database answer, as far as the console knows from its own calls. */
import { onlineManager } from '@tanstack/react-query'
import type { Outage } from '../../lib/api.ts'
import { sharedValue } from '../../lib/hooks/shared-value.ts'
import { queryClient } from '../../lib/query.ts'

/** The part that is away, or was until a moment ago. */
export type Connection = 'connected' | Outage | `${Outage} back`

const HEALTH_PATH = '/api/health/'
const FIRST_RETRY_MS = 2000
const LONGEST_RETRY_MS = 15_000
const BACK_SHOWN_MS = 4000
/** A server that is looking for its database may take longer than is worth waiting. */
const ANSWER_MS = 5000

const connection = sharedValue<Connection>('connected')
/** Until the next question; stays long while outages follow each other. */
let pause = FIRST_RETRY_MS
let timer: ReturnType<typeof setTimeout> | undefined

const isAway = () => ['server', 'database'].includes(connection.get())

/**
 * A call failed as all others will: nothing more is read, and the server is asked, ever more
 * seldom, until it and its database answer.
 */
export function connectionLost(outage: Outage): void {
  onlineManager.setOnline(false)
  const isNew = !isAway()
  connection.set(outage)
  if (isNew) askLater(connectionBack)
}

/** A call was answered. That says nothing of the database: some answers need none. */
export function connectionWorks(): void {
  if (connection.get() === 'server') connectionBack()
}

/** Said for a moment; what the page shows is read again, and what waited to be read is. */
function connectionBack(): void {
  if (!isAway()) return
  clearTimeout(timer)
  connection.set(`${connection.get() as Outage} back`)
  onlineManager.setOnline(true)
  void queryClient.invalidateQueries({ type: 'active' }, { cancelRefetch: false })
  timer = setTimeout(() => {
    pause = FIRST_RETRY_MS
    connection.set('connected')
  }, BACK_SHOWN_MS)
}

/** Asks at once, for somebody who does not want to wait. */
export function askNow(): void {
  if (!isAway()) return
  pause = FIRST_RETRY_MS
  clearTimeout(timer)
  void ask(connectionBack)
}

/** Waits until the server and its database answer. */
export function whenServerWorks(then: () => void): void {
  askLater(then)
}

function askLater(then: () => void): void {
  clearTimeout(timer)
  timer = setTimeout(() => void ask(then), pause)
  pause = Math.min(pause * 2, LONGEST_RETRY_MS)
}

async function ask(then: () => void): Promise<void> {
  const away = await outageNow()
  if (!away) return then()
  if (isAway()) connection.set(away)
  askLater(then)
}

/** The server's report on itself and its database. */
async function outageNow(): Promise<Outage | undefined> {
  try {
    const answer = await fetch(HEALTH_PATH, { cache: 'no-store', signal: AbortSignal.timeout(ANSWER_MS) })
    if (answer.ok) return undefined
    const { db_status, code } = (await answer.json()) as { db_status?: boolean; code?: string }
    // The caller is looked up first, which fails as every call does.
    if (code === 'unavailable') return 'database'
    if (db_status === undefined) return 'server'
    // A node that is about to leave says so, and answers all calls meanwhile.
    return db_status ? undefined : 'database'
  } catch (error) {
    const isLate = error instanceof DOMException && error.name === 'TimeoutError'
    return isLate && connection.get() === 'database' ? 'database' : 'server'
  }
}

/** The browser knows about its own network before any call fails, and when it is back. */
export function watchBrowserNetwork(): void {
  window.addEventListener('offline', () => connectionLost('server'))
  window.addEventListener('online', askNow)
}

export const useConnection = connection.use

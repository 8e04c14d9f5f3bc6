/** Whether the server can be reached, as far as the console knows from its own calls. */
import { useSyncExternalStore } from 'react'
import { queryClient } from '../../lib/query.ts'

export type Connection = 'connected' | 'lost' | 'back'

const HEALTH_PATH = '/api/health/'
const FIRST_RETRY_MS = 2000
const LONGEST_RETRY_MS = 15_000
const BACK_SHOWN_MS = 4000

let connection: Connection = 'connected'
let timer: ReturnType<typeof setTimeout> | undefined
const listeners = new Set<() => void>()

function become(next: Connection): void {
  connection = next
  for (const listener of listeners) listener()
}

/** A call did not reach the server: it is asked for, ever more seldom, until it answers. */
export function connectionLost(): void {
  if (connection === 'lost') return
  become('lost')
  probeIn(FIRST_RETRY_MS, connectionWorks)
}

/** Waits until the server and its database answer. */
export function whenServerWorks(then: () => void): void {
  probeIn(FIRST_RETRY_MS, then)
}

/**
 * A call was answered. After a loss this is said for a moment, and what the page shows is read
 * anew.
 */
export function connectionWorks(): void {
  if (connection !== 'lost') return
  clearTimeout(timer)
  become('back')
  void queryClient.invalidateQueries({ type: 'active' })
  timer = setTimeout(() => become('connected'), BACK_SHOWN_MS)
}

function probeIn(delay: number, then: () => void): void {
  clearTimeout(timer)
  timer = setTimeout(async () => {
    const works = await fetch(HEALTH_PATH, { cache: 'no-store' }).then(
      ({ ok }) => ok,
      () => false,
    )
    if (works) then()
    else probeIn(Math.min(delay * 2, LONGEST_RETRY_MS), then)
  }, delay)
}

/** The browser knows about its own network before any call fails, and when it is back. */
export function watchBrowserNetwork(): void {
  window.addEventListener('offline', connectionLost)
  window.addEventListener('online', () => connection === 'lost' && probeIn(0, connectionWorks))
}

export function useConnection(): Connection {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => connection,
  )
}

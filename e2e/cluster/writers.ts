/** Calls that create users and assets all the while, and remember which were acknowledged. */
import { CallFailed, withToken } from './administrator.ts'

const PAUSE_MS = 150

export interface Writers {
  /** Names that the API said are there. */
  users: string[]
  assets: string[]
  /** Refused calls: the status, or the message of the line. */
  failures: string[]
  /** Waits until so many more are acknowledged. */
  go(calls: number): Promise<void>
  stop(): Promise<void>
}

export function startWriters(url: string, token: string): Writers {
  const { call } = withToken(url, token)
  const users: string[] = []
  const assets: string[] = []
  const failures: string[] = []
  let isOver = false
  let waiting: { until: number; resolve(): void } | undefined
  const write = async (kind: 'users' | 'assets', done: string[]) => {
    for (let n = 1; !isOver; n++) {
      const name = `trial-${kind}-${n}`
      const draft =
        kind === 'users'
          ? { name, username: name, email: `${name}@example.com`, password: 'Walk-through-2' }
          : { hostname: name, ip: '192.0.2.1', platform: 'Linux', protocols: ['ssh/22'] }
      await call('POST', `/api/v1/${kind === 'users' ? 'users/users' : 'assets/assets'}/`, draft).then(
        () => done.push(name),
        (error) => failures.push(error instanceof CallFailed ? String(error.status) : String(error.cause ?? error)),
      )
      if (waiting && users.length + assets.length >= waiting.until) waiting.resolve()
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    }
  }
  const writing = Promise.all([write('users', users), write('assets', assets)])
  return {
    users,
    assets,
    failures,
    go(calls) {
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting = { until: users.length + assets.length + calls, resolve }
      return promise
    },
    async stop() {
      isOver = true
      await writing
    },
  }
}

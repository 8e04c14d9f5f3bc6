import { ApiError, api } from '../lib/api.ts'

const DELAY_MS = 30_000
let timer: ReturnType<typeof setTimeout> | undefined

/**
 * 30 seconds after the last answer the profile is read, so that an ended session is noticed without
 * an action of the person (B4.14 B9.03).
 */
export function keepAlive(): void {
  clearTimeout(timer)
  timer = setTimeout(() => {
    api.get('/api/v1/users/profile/').catch((error: unknown) => {
      if (error instanceof ApiError && (error.status === 401 || error.status === 403))
        location.assign(`/core/auth/login/?next=${encodeURIComponent(location.pathname + location.search)}`)
    })
  }, DELAY_MS)
}

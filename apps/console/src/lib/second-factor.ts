import { request } from './api.ts'

/** A way of proving the second factor, as the server shows it. */
export interface ShownFactor {
  type: string
  label: string
  active: boolean
  /** Figures of its codes; null where they have no fixed form, or none are typed. */
  digits: number | null
  /** Whether a code must be asked for first. */
  sends: boolean
  /** The phone or address that it is sent to, masked. */
  sent_to: string
}

/** Key of local storage (docs/rules/authentication.md#login_page). */
const REMEMBERED = 'mfaPrefer'
const SELECT = '/api/v1/authentication/mfa/select/'

/** The way that was chosen last on this browser, where it can be used; else the first that can. */
export function preferredFactor(types: readonly ShownFactor[]): ShownFactor | undefined {
  const active = types.filter((one) => one.active)
  return active.find(({ type }) => type === localStorage.getItem(REMEMBERED)) ?? active[0]
}

export function rememberFactor(type: string): void {
  localStorage.setItem(REMEMBERED, type)
}

/** Has a code sent; `username` where nothing is proven yet. @throws ApiError */
export async function sendCode(type: string, username?: string): Promise<void> {
  await request('POST', SELECT, { body: { type, ...(username ? { username } : {}) }, quiet: true })
}

/** Systems that get audit events, and signed roots, as the console sees them (docs/operate-siem.md, docs/audit-proof.md). */

export const FORWARDING_PATH = '/api/v1/audits/forwarding/'
export const ROOTS_PATH = '/api/v1/audits/roots/'

/** Systems that may get events; each has events of its own that wait. */
export type ForwardingTarget = 'syslog' | 'webhook'

export interface ForwardingState {
  target: ForwardingTarget
  is_on: boolean
  /** Empty where nobody gets events. */
  address: string
  /** Its display, such as `TCP, CEF`. */
  form: string
  waiting: number
  /** As many may wait; of more the oldest are dropped. */
  capacity: number
  /** How long the oldest has waited. */
  lag_seconds: number
  sent: number
  dropped: number
  date_sent: string | null
  date_failed: string | null
  /** Why the last delivery failed; empty since one has worked. */
  error: string
}

/** A day's signature over all logs. */
export interface SignedRoot {
  number: number
  /** JSON, exactly as it was signed. */
  body: string
  signature: string
}

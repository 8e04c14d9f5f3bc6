import type { TargetFamily } from '@sallyport/contract/target.ts'

/** Facts about the session for a listener's client. */
export interface SessionSummary {
  id: string
  user: string
  asset: string
  system_user: string
  user_id: string
  asset_id: string
  target_family: TargetFamily
  system_user_id: string
  protocol: string
  login_from: string
  remote_addr: string
  org_id: string
  date_start: string
}

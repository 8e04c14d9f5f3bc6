/** What these pages need of a row of `/api/v1/terminal/sessions/`. */
export interface SessionRow {
  id: string
  /** `Name(username)` */
  user: string
  /** `hostname(ip)` */
  asset: string
  system_user: string
  protocol: string
  date_start: string
  date_end: string | null
  can_terminate: boolean
  /** Nobody may type in it. */
  is_locked: boolean
}

/**
 * Logs that are forwarded to other systems (docs/rules/audits.md#syslog), each with its resource.
 */
export const EVENT_CATEGORIES = {
  login_log: 'login_log',
  operation_log: 'operate_log',
  ftp_log: 'ftp_log',
  password_change_log: 'password_change_log',
  host_session_log: 'session',
  session_command_log: 'command',
  forwarded_connection_log: 'forwarded_connection',
  /** Ours: no resource, but what a day's root says (roots.ts). */
  audit_root: undefined,
  /** Ours: sent by somebody who wants to know whether it arrives. */
  test: undefined,
} as const
export type EventCategory = keyof typeof EVENT_CATEGORIES

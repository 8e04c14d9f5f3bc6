/**
 * Who else is in a session, as the gateway tells it (contract web-terminal, TERMINAL_SHARE_USERS).
 */

export interface Participant {
  id: string
  user: string
  /** ISO 8601. */
  created: string
  remote_addr: string
  /** The person whose session it is. */
  primary: boolean
  /** May be given more than to look on. */
  writable?: boolean
}

export interface Room {
  users: readonly Participant[]
  isLocked: boolean
  /** The link that was made last. */
  share: { id: string; code: string } | 'failed' | undefined
}

/** Whether a session may be shared: within its organization, or with everybody who has signed in. */
export type MayShare = boolean | 'everybody'

/** As the settings have it. */
export const mayShareBy = (settings: Readonly<Record<string, unknown>>): MayShare =>
  settings.SECURITY_SESSION_SHARE === true && (settings.SECURITY_SESSION_SHARE_OUTSIDE === true ? 'everybody' : true)

export const EMPTY_ROOM: Room = { users: [], isLocked: false, share: undefined }

/** The room after a message; any other message leaves it as it is. */
export function roomAfter(room: Room, type: string, data: unknown): Room {
  if (typeof data !== 'object' || data === null) return room
  if (type === 'TERMINAL_SHARE_USERS') {
    const users = Object.values(data as Record<string, Participant>)
    return { ...room, users: users.sort((a, b) => a.created.localeCompare(b.created)) }
  }
  if (type === 'TERMINAL_LOCK') return { ...room, isLocked: (data as { locked?: unknown }).locked === true }
  if (type === 'TERMINAL_SHARE') {
    const { share_id, code } = data as { share_id?: string; code?: string }
    return { ...room, share: share_id && code ? { id: share_id, code } : 'failed' }
  }
  return room
}

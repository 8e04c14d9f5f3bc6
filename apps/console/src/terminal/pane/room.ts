/**
 * Other people in a session, as the gateway reports them (contract web-terminal, TERMINAL_SHARE_USERS).
 */
import type { Handlers } from '@sallyport/contract/socket/message.ts'
import type { Participant, ROOM, ShareWanted } from '@sallyport/contract/socket/room.ts'

export type { Participant }

export interface Room {
  users: readonly Participant[]
  /** People who watch: `Name(username)` of each. */
  watchers: readonly string[]
  isLocked: boolean
  /** The link that was made last. */
  share: { id: string; code: string } | 'failed' | undefined
}

/** The rights of a link. */
export type ShareRequest = Omit<ShareWanted, 'session_id'>

/** Whether a session may be shared: within its organization, or with everybody who has signed in. */
export type MayShare = boolean | 'everybody'

/** As the settings have it. */
export const mayShareBy = (settings: Readonly<Record<string, unknown>>): MayShare =>
  settings.SECURITY_SESSION_SHARE === true && (settings.SECURITY_SESSION_SHARE_OUTSIDE === true ? 'everybody' : true)

export const EMPTY_ROOM: Room = { users: [], watchers: [], isLocked: false, share: undefined }

/** Keeps a room as the gateway tells it: `change` is called with how it becomes another. */
export const roomHandlers = (change: (next: (room: Room) => Room) => void): Handlers<typeof ROOM> => ({
  TERMINAL_SHARE_USERS: (present) =>
    change((room) => ({
      ...room,
      users: Object.values(present).sort((a, b) => a.created.localeCompare(b.created)),
    })),
  TERMINAL_WATCHERS: ({ users: watchers }) => change((room) => ({ ...room, watchers })),
  TERMINAL_LOCK: ({ locked }) => change((room) => ({ ...room, isLocked: locked })),
  TERMINAL_SHARE: ({ share_id: id, code }) =>
    change((room) => ({ ...room, share: id && code ? { id, code } : 'failed' })),
  // Everybody who is there gets a message besides.
  TERMINAL_SHARE_JOIN() {},
  TERMINAL_SHARE_LEAVE() {},
})

/** For sessions that are one person's alone. */
export const NOT_SHARED = {
  TERMINAL_SHARE() {},
  TERMINAL_SHARE_JOIN() {},
  TERMINAL_SHARE_LEAVE() {},
  TERMINAL_SHARE_USERS() {},
}

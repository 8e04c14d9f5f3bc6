/** A guest in a session, and what the guest reports of it. */
import * as z from 'zod/mini'
import { json, type SentMessageOf } from './message.ts'

/** A link to a session lives so many minutes at most. */
export const SHARE_MINUTES_MAX = 24 * 60

const participant = z.object({
  id: z.string(),
  user_id: z.optional(z.string()),
  /** Name(username). */
  user: z.string(),
  remote_addr: z.string(),
  /** The owner of the session. */
  primary: z.optional(z.boolean()),
  /** May type, or be given the keys. */
  writable: z.optional(z.boolean()),
  /** ISO 8601. */
  created: z.string(),
})
export type Participant = z.output<typeof participant>

/** Messages of the person of a session where it can be shared. */
export const SHARING = {
  TERMINAL_SHARE: json(
    z.object({
      session_id: z.guid(),
      /** Minutes. */
      expired: z.coerce.number<number>().check(z.int(), z.minimum(1), z.maximum(SHARE_MINUTES_MAX)),
      action_permission: z._default(z.enum(['writable', 'readonly']), 'readonly'),
    }),
  ),
  /** Removes the guest with that id. */
  TERMINAL_SHARE_USER_REMOVE: json(z.object({ id: z.guid() })),
}

export const ROOM = {
  /** Both are empty where the session was not shared. */
  TERMINAL_SHARE: json(z.object({ share_id: z.string(), code: z.string() })),
  TERMINAL_SHARE_JOIN: json(participant),
  TERMINAL_SHARE_LEAVE: json(participant),
  /** Everybody who is there, by their ids. */
  TERMINAL_SHARE_USERS: json(z.record(z.string(), participant)),
  /** People who watch, `Name(username)` of each; sent when it changes. */
  TERMINAL_WATCHERS: json(z.object({ users: z.array(z.string()) })),
  /** Whether input is locked, and by whom. */
  TERMINAL_LOCK: json(z.object({ locked: z.boolean(), by: z.optional(z.string()) })),
}

/** The rights of a link, as the person of the session names them. */
export type ShareWanted = Extract<SentMessageOf<typeof SHARING>, { type: 'TERMINAL_SHARE' }>['data']

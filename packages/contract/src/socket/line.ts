/**
 * What every line to the gateway says, whatever is shown on it: `{tg}/ws/terminal/` and
 * `{tg}/ws/token/`. The gateway begins with CONNECT, whose `id` names the line; the client answers
 * with TERMINAL_INIT under that id, and its session is opened.
 */
import * as z from 'zod/mini'
import { bare, json, text } from './message.ts'

const count = z.int().check(z.minimum(0))
/** Some clients write numbers as text. */
const cells = z.coerce.number<number>().check(z.int(), z.minimum(1), z.maximum(1000))
const size = { cols: cells, rows: cells }

/** Input that a person may be asked for before their session is there. */
export const ANSWER_MAX = 4096

/** Pixels of a pane that shows a desktop, and per cent by which letters are to be larger. */
export const desktopSize = {
  width: z.int().check(z.minimum(200), z.maximum(4096)),
  height: z.int().check(z.minimum(200), z.maximum(2304)),
  scale: z.optional(z.int().check(z.minimum(100), z.maximum(500))),
}

/**
 * The size of the terminal; what else is not as it should be is left out: `code` of the link by which
 * a guest joins, and the size that a desktop is to have.
 */
const opening = z.object({
  ...size,
  code: z.catch(z.optional(z.string().check(z.maxLength(16))), undefined),
  width: z.catch(z.optional(desktopSize.width), undefined),
  height: z.catch(z.optional(desktopSize.height), undefined),
  scale: z.catch(desktopSize.scale, undefined),
})
export type Opening = z.output<typeof opening>

/** Person and target of the session; after the first three, fields of Sallyport's own gateway alone. */
const session = z.object({
  id: z.string(),
  user: z.optional(z.string()),
  asset: z.optional(z.string()),
  system_user: z.optional(z.string()),
  user_id: z.optional(z.string()),
  asset_id: z.optional(z.string()),
  target_family: z.optional(z.string()),
  system_user_id: z.optional(z.string()),
  protocol: z.optional(z.string()),
  login_from: z.optional(z.string()),
  remote_addr: z.optional(z.string()),
  org_id: z.optional(z.string()),
  date_start: z.optional(z.string()),
})

const begun = z.object({
  /** A guest gets its id alone. */
  session,
  /** Minutes in which a client that named itself may come back; absent or 0: never. */
  reattach: z.optional(z.number()),
  /** The session was there before this line. */
  resumed: z.optional(z.boolean()),
  /** Bytes of this client's input that have arrived. */
  received: z.optional(z.number()),
  /** About a guest: whether they may type, and by which id the others know them. */
  writable: z.optional(z.boolean()),
  participant: z.optional(z.string()),
})
export type SessionBegun = z.output<typeof begun>

const person = z.object({ id: z.string(), name: z.string(), username: z.string() })

export const LINE = {
  fromClient: {
    PING: bare,
    PONG: bare,
    /** The person leaves: their session ends. */
    CLOSE: bare,
    TERMINAL_INIT: json(opening),
    /** Input of clients that send no binary frames. */
    TERMINAL_DATA: text(z.string()),
    TERMINAL_RESIZE: json(z.object(size)),
    /** How many bytes the client has dealt with in all; from the first on, the machine waits for it. */
    TERMINAL_TAKEN: json(z.object({ bytes: count })),
  },
  fromGateway: {
    PING: bare,
    PONG: bare,
    CONNECT: json(z.object({ user: z.optional(z.partial(person)), setting: z.optional(z.unknown()) })),
    /** The session is over; the gateway closes the socket behind it. */
    CLOSE: bare,
    /** Output of gateways that send no binary frames; this one does. */
    TERMINAL_DATA: text(z.string()),
    /** The session is there: for its person, and for a guest who was admitted. */
    TERMINAL_SESSION: json(begun),
    /** The size of the terminal that is watched. */
    TERMINAL_RESIZE: json(z.object({ Width: count, Height: count })),
    /** Why there is no session, or no longer, in the person's language; CLOSE follows. */
    TERMINAL_ERROR: text(z.string()),
    /** The same person works on in another window; CLOSE follows. */
    TERMINAL_MOVED: text(z.string()),
  },
} as const

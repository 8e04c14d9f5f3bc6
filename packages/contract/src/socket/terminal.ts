/** A terminal of one's own: its bytes go as binary frames, both ways. */
import * as z from 'zod/mini'
import { bare, type MessageOf, text } from './message.ts'
import { ROOM, SHARING } from './room.ts'

export const TERMINAL = {
  fromClient: SHARING,
  fromGateway: {
    ...ROOM,
    /** A file transfer by ZMODEM begins among the bytes, or has ended. */
    TERMINAL_ACTION: text(z.enum(['ZMODEM_START', 'ZMODEM_END'])),
    /** The machine has accepted: until then the session was on its way. */
    TERMINAL_READY: bare,
    /** The connection token leads to a desktop: to be opened again with `view=desktop`. */
    DESKTOP_VIEW: bare,
  },
} as const

export type TerminalFromClient = MessageOf<typeof TERMINAL.fromClient>
export type TerminalFromGateway = MessageOf<typeof TERMINAL.fromGateway>

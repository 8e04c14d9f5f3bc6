/**
 * A desktop of one's own, and one that is watched or joined. Pictures, keys and the pointer are RFB
 * (RFC 6143) in binary frames behind DESKTOP_START.
 */
import * as z from 'zod/mini'
import { dialogue, notice } from './dialogue.ts'
import { ANSWER_MAX, desktopSize } from './line.ts'
import { bare, json, type MessageOf } from './message.ts'
import { ROOM, SHARING } from './room.ts'

/** Characters of a clipboard, and files on it. */
export const CLIPBOARD_CHARACTERS = 1024 * 1024
export const CLIPBOARD_FILES = 1000

/** The keys by which a program pastes; terminals have others than most. `none`: the person presses them. */
export const PASTE_KEYS = ['ctrl_v', 'ctrl_shift_v', 'shift_insert', 'none'] as const
export type PasteKeys = (typeof PASTE_KEYS)[number]

const control = json(z.object({ id: z.string().check(z.maxLength(64)) }))

/** Messages to everybody who sees a desktop. */
const SHOWN = {
  /** There is a picture: what comes as binary frames from here on. */
  DESKTOP_START: json(
    z.object({
      name: z.optional(z.string()),
      locked: z.optional(z.boolean()),
      /** The person may choose others; absent where there is no choice. */
      paste_keys: z.optional(z.enum(PASTE_KEYS)),
    }),
  ),
  DESKTOP_NOTICE: notice,
}

export const DESKTOP = {
  fromClient: {
    ...SHARING,
    /** The person's clipboard: text, or files that they put into the session's folder, by their numbers. */
    DESKTOP_CLIPBOARD: json(
      z.union([
        z.object({ text: z.string().check(z.maxLength(CLIPBOARD_CHARACTERS)) }),
        z.object({
          files: z.array(z.int().check(z.minimum(1))).check(z.minLength(1), z.maxLength(CLIPBOARD_FILES)),
        }),
      ]),
    ),
    /** Chooses the keys by which programs of the machine paste. */
    DESKTOP_PASTE_KEYS: json(z.object({ keys: z.enum(PASTE_KEYS) })),
    /** The pane has another size. */
    DESKTOP_SIZE: json(z.object(desktopSize)),
    /** Hands keys and pointer to the guest with that id; empty: takes them back. */
    DESKTOP_CONTROL: control,
    /** Answers DESKTOP_ASK; without `text` the person gives up. Withdraws what DESKTOP_WAIT waits for. */
    DESKTOP_ANSWER: json(z.object({ text: z.optional(z.string().check(z.maxLength(ANSWER_MAX))) })),
  },
  fromGateway: {
    ...ROOM,
    ...SHOWN,
    /** The machine's clipboard. */
    DESKTOP_CLIPBOARD: json(z.object({ text: z.string() })),
    /** The session's folder has files, or others than before: to be read over HTTP. */
    DESKTOP_FILES: bare,
    DESKTOP_BELL: bare,
    /** The person who has keys and pointer; empty: its owner. */
    DESKTOP_CONTROL: control,
    DESKTOP_ASK: dialogue.ask,
    DESKTOP_WAIT: dialogue.wait,
    DESKTOP_PROGRESS: dialogue.progress,
  },
} as const

/** Somebody else's session, joined by a link: a terminal, or a desktop once DESKTOP_START has come. */
export const JOINED = {
  fromClient: {},
  fromGateway: { ...ROOM, ...SHOWN, DESKTOP_CONTROL: control },
} as const

/** Somebody else's session, looked at: a terminal, or a desktop once DESKTOP_START has come. */
export const WATCHED = {
  fromClient: {},
  fromGateway: SHOWN,
} as const

export type DesktopFromClient = MessageOf<typeof DESKTOP.fromClient>
export type DesktopFromGateway = MessageOf<typeof DESKTOP.fromGateway>
export type JoinedFromGateway = MessageOf<typeof JOINED.fromGateway>
export type WatchedFromGateway = MessageOf<typeof WATCHED.fromGateway>

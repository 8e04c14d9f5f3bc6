/** What recordings of desktops are played on: the viewer of live ones, without anybody at the other end. */
import { openDesktop } from '../session/desktop/desktop-screen.ts'
import type { Stage } from './playback-screen.ts'
import type { Recording } from './recording.ts'

/** One event from the next, in the text that is played. */
const END = '\n'

/** The same recording, of which every event is an update of RFB in base64. */
export function desktopRecording(recording: Recording): Recording {
  return {
    ...recording,
    piece: async (n) => (await recording.piece(n)).map((event) => ({ ...event, data: `${event.data}${END}` })),
    // Every piece begins with a whole picture.
    screen: async () => '',
    openStage: openDesktopStage,
  }
}

function openDesktopStage(box: HTMLElement): Stage {
  const screen = openDesktop(box, { send: () => {}, onFailed: () => {} }, 'read-only')
  screen.receive(GREETING)
  return {
    reset: () => {},
    write(text) {
      for (const update of text.split(END)) if (update) screen.receive(bytesOf(update))
    },
    resize: () => {},
    // It is drawn at once.
    backlog: () => 0,
    fit: () => {},
    dispose: () => screen.dispose(),
  }
}

function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
}

/** Everything that a server says until a viewer is in (RFC 6143 §7.1), of a screen that grows later. */
const GREETING = Uint8Array.from([
  ...[...'RFB 003.008\n'].map((character) => character.charCodeAt(0)),
  ...[1, 1],
  ...[0, 0, 0, 0],
  ...[0, 16, 0, 16],
  ...[32, 24, 0, 1, 0, 255, 0, 255, 0, 255, 0, 8, 16, 0, 0, 0],
  ...[0, 0, 0, 0],
])

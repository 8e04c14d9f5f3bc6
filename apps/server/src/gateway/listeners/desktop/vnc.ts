import type { Config } from '../../../kernel/config.ts'
import { Viewer } from '../../protocols/rfb/viewer.ts'
import { wordsOf } from '../../session/notice.ts'
import type { Person } from '../../session/person.ts'
import type { ProtocolListener } from '../clients/protocol-listener.ts'
import { hangUp } from '../connections/hang-up.ts'
import { type DesktopClient, serveDesktop } from './serve-desktop.ts'
import { ADMITTED, refusalOf, refusedAtOnce, type StartedViewer, startOf } from './vnc-start.ts'

/** Shown in the list of sign-ins: viewers do not say what they are called. */
const PROGRAM = 'VNC viewer'
/** A viewer that has not read so much yet gets nothing more. */
const MAX_UNREAD = 512 * 1024

/** VNC viewers, at any desktop, whatever it speaks itself. */
export function vncProtocol({ vncPort }: Config): ProtocolListener {
  return {
    name: 'VNC',
    port: vncPort,
    refusal: (why, words) => (why === 'too many' ? refusedAtOnce(words) : Buffer.alloc(0)),
    async serve({ socket: plain, encrypt, isReady, serving }) {
      return serveDesktop(serving, vncClient(await startOf(plain, encrypt, isReady)))
    },
  }
}

function vncClient(started: StartedViewer): DesktopClient {
  const { socket, name, password } = started
  let viewer: Viewer | undefined
  let title = ''
  return {
    socket,
    name,
    password,
    program: PROGRAM,
    refused: (words) => void socket.write(refusalOf(words, started)),
    owner: ({ language }: Person) => ({
      changed: () => viewer?.changed(),
      copied: (text) => viewer?.copied(text),
      bell: () => viewer?.bell(),
      // Viewers have no place for words but the title of their window.
      tell: (what) => viewer?.rename(`${wordsOf(what, language)} — ${title}`),
      close() {
        viewer?.close()
        hangUp(socket)
      },
    }),
    shows(live) {
      socket.write(ADMITTED)
      title = live.name
      const shown = new Viewer({
        picture: live.picture,
        name: live.name,
        input: {
          key: (isDown, keysym) => live.key(isDown, keysym),
          pointer: (buttons, x, y) => live.pointer(buttons, x, y),
          resize: (width, height) => live.resize({ width, height }),
        },
        canResize: () => live.canResize,
        write: (bytes) => void socket.write(bytes),
        hasRoom: () => socket.writableLength < MAX_UNREAD,
        program: { pasted: (text) => live.paste(text) },
      })
      viewer = shown
      socket.on('drain', () => shown.changed())
      return (bytes) => shown.receive(bytes)
    },
  }
}
